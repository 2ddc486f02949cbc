import Foundation
import Runtime
import TestSupport

/// A server that lets one connection in and then reads nothing of what it is sent.
final class StallingServer: Sendable {
    /// What libpq takes for a host: the socket is in it.
    let folder: URL
    private let listener: Int32
    private let isOver = Guarded(false)

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "chancery-stalling-\(UUID().uuidString.prefix(8).lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let address = try Fixture.some(SocketAddress.local("\(folder.path)/.s.PGSQL.5432"))
        listener = try Sockets.listen(at: address)
        Thread.detachNewThread { [self] in serve() }
    }

    /// Breaks the connection.
    func close() {
        isOver.replace(with: true)
        try? FileManager.default.removeItem(at: folder)
    }

    /// AuthenticationOk, what libpq must know to believe that writes are taken, ReadyForQuery
    /// (PostgreSQL's protocol, "Message Formats").
    private static let welcome: [UInt8] = {
        let facts = [
            ("server_version", "15.0"), ("server_encoding", "UTF8"), ("client_encoding", "UTF8"),
            ("standard_conforming_strings", "on"), ("in_hot_standby", "off"),
            ("default_transaction_read_only", "off"),
        ]
        let told = facts.flatMap { message("S", Array("\($0.0)\u{0}\($0.1)\u{0}".utf8)) }
        return message("R", [0, 0, 0, 0]) + told + message("Z", Array("I".utf8))
    }()

    private static func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
        [type.asciiValue ?? 0, 0, 0, 0, UInt8(body.count + 4)] + body
    }

    private func serve() {
        var connection: Int32?
        while !isOver.current {
            if connection == nil, case .connection(let one, from: _) = Sockets.accept(listener) {
                connection = one
                var bytes: [UInt8] = []
                while bytes.isEmpty, !isOver.current {
                    _ = Sockets.read(one, appendingTo: &bytes, atMost: 4096)
                    Thread.sleep(forTimeInterval: 0.001)
                }
                _ = Sockets.write(one, Self.welcome)
            }
            Thread.sleep(forTimeInterval: 0.005)
        }
        if let connection { Sockets.close(connection) }
        Sockets.close(listener)
    }
}
