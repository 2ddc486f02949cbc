import Foundation
import Runtime
import TestSupport
import Testing

/// An admin listener that says what it is told to, to one request a connection.
final class ScriptedAdmin: Sendable {
    let origin: String
    private let listener: Int32
    private let requests = Guarded<[String]>([])
    private let authorizations = Guarded<[String]>([])
    private let isOver = Guarded(false)

    /// `answers` come one after another, the last of them again and again.
    init(_ answers: [String]) throws {
        listener = try Sockets.listen(at: .loopback(port: 0))
        origin = "http://\(Sockets.localAddress(of: listener))"
        Thread.detachNewThread { [self] in serve(answers) }
    }

    /// The method and target of each request, in their order.
    var asked: [String] { requests.current }

    /// The `Authorization` of each request.
    var tokens: [String] { authorizations.current }

    func close() { isOver.replace(with: true) }

    private func serve(_ answers: [String]) {
        var left = answers
        while !isOver.current {
            guard case .connection(let connection, from: _) = Sockets.accept(listener) else {
                Thread.sleep(forTimeInterval: 0.005)
                continue
            }
            let text = request(of: connection)
            let words = text.prefix { $0 != "\r\n" }.split(separator: " ").prefix(2)
            requests.withLock { $0.append(words.joined(separator: " ")) }
            let token = text.firstMatch(of: /Authorization: ([^\r\n]*)/).map { String($0.1) }
            authorizations.withLock { $0.append(token ?? "") }
            _ = Sockets.write(connection, Array((left.first ?? "").utf8))
            if left.count > 1 { left.removeFirst() }
            Sockets.close(connection)
        }
        Sockets.close(listener)
    }

    /// A whole one: what is not read would cost the answer.
    private func request(of connection: Int32) -> String {
        var bytes: [UInt8] = []
        while !isOver.current {
            let text = String(decoding: bytes, as: UTF8.self)
            let length = text.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
            let parts = text.components(separatedBy: "\r\n\r\n")
            if parts.count > 1, parts[1].utf8.count >= length { return text }
            if case .ended = Sockets.read(connection, appendingTo: &bytes, atMost: 4096) { break }
            Thread.sleep(forTimeInterval: 0.001)
        }
        return ""
    }
}
