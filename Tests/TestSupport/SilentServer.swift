import Runtime

/// A mail relay on loopback that is told who a mail is for, and then never says a word.
///
/// It moves when somebody looks at it.
package final class SilentServer: Sendable {
    /// Where it listens, such as `127.0.0.1:40001`.
    package let address: String
    private let listener: Int32
    private let conversations = Guarded<[Conversation]>([])

    private struct Conversation {
        let connection: Int32
        var unread: [UInt8] = []
        var recipient: String?

        /// Answers what has come, as far as the recipient.
        mutating func goOn() {
            guard recipient == nil else { return }
            while case .moved = Sockets.read(connection, appendingTo: &unread, atMost: 4096) {}
            while let end = unread.firstIndex(of: 0x0A) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeFirst(end + 1)
                if line.uppercased().hasPrefix("RCPT TO:") { return recipient = line }
                say("250 ok")
            }
        }

        func say(_ line: String) {
            _ = Sockets.write(connection, Array("\(line)\r\n".utf8))
        }
    }

    package init() throws {
        guard let any = SocketAddress("127.0.0.1:0") else { throw Fixture.Malformed() }
        listener = try Sockets.listen(at: any)
        address = Sockets.localAddress(of: listener).description
    }

    deinit {
        for conversation in conversations.current { Sockets.close(conversation.connection) }
        Sockets.close(listener)
    }

    /// Who the mails are for that it was offered: `RCPT TO:<a@example.com>`.
    package var recipients: [String] {
        conversations.withLock { conversations in
            while case .connection(let connection, from: _) = Sockets.accept(listener) {
                let new = Conversation(connection: connection)
                new.say("220 silent.test")
                conversations.append(new)
            }
            for index in conversations.indices { conversations[index].goOn() }
            return conversations.compactMap(\.recipient)
        }
    }
}
