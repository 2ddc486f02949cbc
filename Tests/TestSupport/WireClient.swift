package import Foundation
import Runtime

/// Sends bytes to a server and reads what comes back until the connection ends.
///
/// A client of our own, because a client library would mend what a test wants broken. Loopback.
package enum WireClient {
    /// Nobody answered, or not in time.
    package struct Silence: Error, CustomStringConvertible {
        package let description: String
    }

    private static let loop = Result { () throws(SystemError) -> Loop in
        let loop = try Loop(name: "wire")
        loop.start()
        return loop
    }

    /// Sends a request that ends with `Connection: close` to `origin` and reads the answer.
    package static func exchange(
        _ request: Data,
        with origin: String,
        within limit: Duration = .seconds(35)
    ) async throws -> WireAnswer {
        guard let address = address(of: origin) else {
            throw Silence(description: "\(origin) is not http:// on this machine")
        }
        let loop = try loop.get()
        let deadline = MonotonicInstant.now().advanced(by: limit)
        let result: Result<[UInt8], Silence> = await withCheckedContinuation { continuation in
            loop.post {
                loop.spawn {
                    let result = await Result { () async throws(Silence) in
                        try await transfer(Array(request), to: address, until: deadline, on: loop)
                    }
                    continuation.resume(returning: result)
                }
            }
        }
        let bytes = try result.get()
        guard let answer = WireAnswer(parsing: Data(bytes)) else {
            let text = String(decoding: bytes.prefix(200), as: UTF8.self)
            throw Silence(description: "not a whole HTTP answer: \(text)")
        }
        return answer
    }

    /// Where `http://localhost:8080` and `http://a.localhost:8080` are.
    private static func address(of origin: String) -> SocketAddress? {
        guard let url = URL(string: origin), url.scheme == "http", let host = url.host() else {
            return nil
        }
        let port = UInt16(url.port ?? 80)
        if host == "localhost" || host.hasSuffix(".localhost") { return .loopback(port: port) }
        return SocketAddress("\(host):\(port)")
    }

    private static func transfer(
        _ request: [UInt8],
        to address: SocketAddress,
        until deadline: MonotonicInstant,
        on loop: Loop
    ) async throws(Silence) -> [UInt8] {
        let socket: Int32
        do { socket = try Sockets.connect(to: address) } catch {
            throw Silence(description: "\(address): \(error)")
        }
        defer { Sockets.close(socket) }
        var sent = 0
        while sent < request.count {
            guard await loop.wait(for: socket, .writable, until: deadline) else {
                throw Silence(description: "\(address) took no bytes in time")
            }
            // A server may answer and close before it has read all.
            guard case .moved(let count) = Sockets.write(socket, request, from: sent) else { break }
            sent += count
        }
        var received: [UInt8] = []
        while await loop.wait(for: socket, .readable, until: deadline) {
            switch Sockets.read(socket, appendingTo: &received, atMost: 65_536) {
            case .moved, .wouldBlock: continue
            case .ended, .failed: return received
            }
        }
        throw Silence(description: "\(address) did not answer in time")
    }
}

extension Result {
    /// Catches what an asynchronous body throws, by type.
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
