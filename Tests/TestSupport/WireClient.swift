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

    private static let loop = Result { () throws(SystemError) -> Loop in try Loop.running() }

    /// Sends a request that ends with `Connection: close` to `origin` and reads the answer.
    package static func exchange(
        _ request: Data,
        with origin: String,
        within limit: Duration = .seconds(35)
    ) async throws -> WireAnswer {
        let answers = try await exchangeAtOnce([(request, origin)], within: limit)
        guard let answer = answers.first else { throw Silence(description: "no answer") }
        return answer
    }

    /// Sends such requests at once: all connections are made before the first byte goes out.
    ///
    /// The answers come in the order of the requests.
    package static func exchangeAtOnce(
        _ requests: [(bytes: Data, origin: String)],
        within limit: Duration = .seconds(35)
    ) async throws -> [WireAnswer] {
        let transfers = try requests.map { request throws(Silence) in
            guard let address = address(of: request.origin) else {
                throw Silence(description: "\(request.origin) is not http:// on this machine")
            }
            return Outgoing(bytes: Array(request.bytes), address: address)
        }
        let loop = try loop.get()
        let deadline = MonotonicInstant.now().advanced(by: limit)
        let result: Result<[[UInt8]], Silence> = await withCheckedContinuation { continuation in
            loop.post {
                loop.spawn {
                    let result = await Result { () async throws(Silence) in
                        try await perform(transfers, until: deadline, on: loop)
                    }
                    continuation.resume(returning: result)
                }
            }
        }
        return try result.get().map { bytes throws(Silence) in
            guard let answer = WireAnswer(parsing: Data(bytes)) else {
                let text = String(decoding: bytes.prefix(200), as: UTF8.self)
                throw Silence(description: "not a whole HTTP answer: \(text)")
            }
            return answer
        }
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

    private struct Outgoing: Sendable {
        var bytes: [UInt8]
        var address: SocketAddress
    }

    private static func perform(
        _ transfers: [Outgoing],
        until deadline: MonotonicInstant,
        on loop: Loop
    ) async throws(Silence) -> [[UInt8]] {
        var sockets: [Int32] = []
        defer { for socket in sockets { Sockets.close(socket) } }
        for transfer in transfers {
            do { sockets.append(try Sockets.connect(to: transfer.address)) } catch {
                throw Silence(description: "\(transfer.address): \(error)")
            }
        }
        for (transfer, socket) in zip(transfers, sockets) {
            guard await loop.wait(for: socket, .writable, until: deadline) else {
                throw Silence(description: "\(transfer.address) took no connection in time")
            }
        }
        for (transfer, socket) in zip(transfers, sockets) {
            try await send(transfer, on: socket, until: deadline, loop)
        }
        var answers: [[UInt8]] = []
        for (transfer, socket) in zip(transfers, sockets) {
            answers.append(try await receive(transfer, on: socket, until: deadline, loop))
        }
        return answers
    }

    private static func send(
        _ transfer: Outgoing,
        on socket: Int32,
        until deadline: MonotonicInstant,
        _ loop: Loop
    ) async throws(Silence) {
        var sent = 0
        while sent < transfer.bytes.count {
            // A server may answer and close before it has read all.
            switch Sockets.write(socket, transfer.bytes, from: sent) {
            case .moved(let count): sent += count
            case .wouldBlock:
                guard await loop.wait(for: socket, .writable, until: deadline) else {
                    throw Silence(description: "\(transfer.address) took no bytes in time")
                }
            case .ended, .failed: return
            }
        }
    }

    private static func receive(
        _ transfer: Outgoing,
        on socket: Int32,
        until deadline: MonotonicInstant,
        _ loop: Loop
    ) async throws(Silence) -> [UInt8] {
        var received: [UInt8] = []
        while await loop.wait(for: socket, .readable, until: deadline) {
            switch Sockets.read(socket, appendingTo: &received, atMost: 65_536) {
            case .moved, .wouldBlock: continue
            case .ended, .failed: return received
            }
        }
        throw Silence(description: "\(transfer.address) did not answer in time")
    }
}

extension Result {
    /// Catches what an asynchronous body throws, by type.
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
