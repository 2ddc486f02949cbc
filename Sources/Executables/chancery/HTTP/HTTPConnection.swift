import OAuth
import Runtime

/// One request and its answer over plain HTTP on loopback.
struct HTTPConnection: Sendable {
    private static let answerBytesMax = 4 << 20
    /// Longer than a server takes: its handlers have 30 s and half a second of grace, counted from
    /// when it has read the request, and its answer then says what became of it.
    private static let answerTime = Duration.seconds(40)

    /// Where a URL such as `http://localhost:8080` points; nil unless it is plain and loopback.
    static func address(of origin: String) -> (address: SocketAddress, host: String)? {
        guard origin.hasPrefix("http://") else { return nil }
        let host = String(origin.dropFirst("http://".count).prefix { $0 != "/" })
        if let address = SocketAddress(host) { return address.isLoopback ? (address, host) : nil }
        let parts = host.split(separator: ":")
        guard let name = parts.first, name == "localhost" || name.hasSuffix(".localhost"),
            let port = parts.count > 1 ? port(parts[1]) : 80
        else { return nil }
        return (.loopback(port: port), host)
    }

    private static func port(_ text: Substring) -> UInt16? {
        DecimalDigits.read(text.utf8.span).flatMap { UInt16(exactly: $0) }
    }

    /// - Throws: when nobody listens, the answer is not HTTP, or `limit` is over.
    static func exchange(
        _ request: HTTPRequest,
        with origin: String,
        on loop: Loop,
        within limit: Duration = answerTime
    ) async throws(CommandFailure) -> HTTPAnswer {
        guard let (address, host) = address(of: origin) else {
            throw CommandFailure(
                "\(origin) is not http:// on this machine",
                remedy: "chancery speaks plain HTTP to loopback only. Where the admin listener has "
                    + "certificates, call the admin API by curl: the handbook, Production.",
                status: 64
            )
        }
        let socket: Int32
        do { socket = try Sockets.connect(to: address) } catch {
            throw unreachable(origin, error)
        }
        defer { Sockets.close(socket) }
        let deadline = MonotonicInstant.now().advanced(by: limit)
        var timeout = CommandFailure("\(origin) did not answer within \(limit)", status: 75)
        let bytes = request.bytes(host: host)
        var sent = 0
        while sent < bytes.count {
            guard await loop.wait(for: socket, .writable, until: deadline) else { throw timeout }
            switch Sockets.write(socket, bytes, from: sent) {
            case .moved(let count): sent += count
            case .wouldBlock: continue
            case .ended: throw CommandFailure("\(origin) closed the connection")
            case .failed(let error): throw unreachable(origin, error)
            }
        }
        // From here on the server may have done what it was asked to.
        let remedy = request.method == "GET" ? nil : CommandFailure.lookFirst
        if let remedy { timeout = CommandFailure(timeout.sentence, remedy: remedy) }
        var received: [UInt8] = []
        while received.count < answerBytesMax {
            guard await loop.wait(for: socket, .readable, until: deadline) else { throw timeout }
            let transfer = Sockets.read(socket, appendingTo: &received, atMost: 65_536)
            if case .failed(let error) = transfer, received.isEmpty {
                throw CommandFailure("\(origin) did not answer: \(error)", remedy: remedy)
            }
            if transfer == .ended { break }
            if case .failed = transfer { break }
        }
        guard let answer = HTTPAnswer(parsing: received) else {
            throw CommandFailure(
                "\(origin) did not answer with a whole HTTP message",
                remedy: remedy
            )
        }
        return answer
    }
    private static func unreachable(_ origin: String, _ why: SystemError) -> CommandFailure {
        CommandFailure(
            "cannot reach \(origin): \(why)",
            remedy: "Is the process running there? Its setting admin.listen says where it listens.",
            status: 75
        )
    }
}
