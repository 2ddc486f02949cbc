import HTTPClient
import Runtime
import TestSupport
import Testing

@Suite("SMTP client", .timeLimit(.minutes(1))) struct SMTPClientTests {
    static let message = Array("Subject: Hello\r\n\r\nOne\r\n.\r\n..two\r\nend\r\n".utf8)

    /// Sends one mail to a relay that answers as `replies` say.
    private func send(
        _ replies: [String: String] = [:],
        protection: SMTPSettings.Protection = .none,
        from sender: String = "noreply@example.com",
        to recipient: String = "a@example.com",
        within limit: Duration = .seconds(30)
    ) async throws -> (error: SMTPError?, sessions: [ScriptedRelay.Session]) {
        let relay = try ScriptedRelay(replies)
        let settings = try SMTPSettings(
            host: "127.0.0.1",
            port: relay.port,
            protection: protection,
            greeting: "auth.example.com"
        )
        let error = try await withPool { pool -> SMTPError? in
            do throws(SMTPError) {
                try await SMTPClient(settings, through: pool).send(
                    from: Array(sender.utf8),
                    to: Array(recipient.utf8),
                    message: Self.message,
                    deadline: .now().advanced(by: limit)
                )
                return nil
            } catch { return error }
        }
        await relay.stop()
        return (error, relay.sessions.current)
    }

    private func withPool<Answer: Sendable>(
        _ body: (TransferPool) async -> Answer
    ) async throws -> Answer {
        let pool = try TransferPool()
        let answer = await body(pool)
        pool.close()
        return answer
    }

    @Test("hands a mail over, lines that begin with a dot included") func delivers() async throws {
        let (error, sessions) = try await send()
        #expect(error == nil)
        let session = try #require(sessions.first)
        #expect(
            session.commands.prefix(4).elementsEqual([
                "EHLO auth.example.com", "MAIL FROM:<noreply@example.com>",
                "RCPT TO:<a@example.com>", "DATA",
            ])
        )
        // Dots are doubled on the wire (RFC 5321 section 4.5.2).
        #expect(
            String(decoding: session.message, as: UTF8.self)
                == "Subject: Hello\r\n\r\nOne\r\n..\r\n...two\r\nend\r\n"
        )
    }

    @Test(
        "a refusal of this mail is permanent, everything else is to be tried again",
        arguments: [
            (["RCPT": "550 no such user"], SMTPError.permanent(code: 550)),
            (["RCPT": "451 later"], .transient(code: 451)),
            (["MAIL": "552 too much"], .permanent(code: 552)),
            (["DATA": "554 no"], .permanent(code: 554)),
            (["message": "552 spam"], .permanent(code: 552)),
            (["message": "452 full"], .transient(code: 452)),
            (["greeting": "421 busy"], .transient(code: 421)),
            (["greeting": "hello"], .transient(code: 0)),
            // Of us, not of this mail.
            (["greeting": "554 no SMTP service here"], .transient(code: 554)),
            (["MAIL": "530 authentication required"], .transient(code: 530)),
            (["RCPT": "503 login first"], .transient(code: 503)),
            (["message": "535 who are you"], .transient(code: 535)),
        ]
    )
    func refusals(_ replies: [String: String], _ expected: SMTPError) async throws {
        #expect(try await send(replies).error == expected)
    }

    @Test(
        "a relay that says nothing is given up at the deadline",
        arguments: [
            "greeting", "EHLO", "RCPT", "message",
        ]
    )
    func silence(_ step: String) async throws {
        let start = MonotonicInstant.now()
        let (error, _) = try await send([step: ""], within: .milliseconds(300))
        guard case .transient? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(MonotonicInstant.now().since(start) < .seconds(10))
    }

    @Test("without STARTTLS offered nothing is sent in the clear") func downgrade() async throws {
        let (error, sessions) = try await send(protection: .startTLS)
        #expect(error == .transient(code: 250))
        #expect(!sessions.isEmpty)
        #expect(sessions.allSatisfy { !$0.commands.contains { $0.hasPrefix("MAIL") } })
    }

    @Test("a relay that does not answer QUIT holds up no request, and its mails for ten seconds")
    func silentQuit() async throws {
        let start = MonotonicInstant.now()
        let relay = try ScriptedRelay(["RCPT": "550 no", "QUIT": ""])
        let settings = try SMTPSettings(host: "127.0.0.1", port: relay.port, protection: .none)
        let loop = try Loop.running()
        let pool = try TransferPool()
        let client = SMTPClient(settings, through: pool)
        let outcome = Guarded<SMTPError?>(nil)
        let mail = loop.spawn {
            do throws(SMTPError) {
                try await client.send(
                    from: Array("a@b.c".utf8),
                    to: Array("a@b.c".utf8),
                    message: Self.message,
                    deadline: start.advanced(by: .seconds(30))
                )
            } catch { outcome.replace(with: error) }
        }
        let limit = start.advanced(by: .seconds(20))
        while relay.sessions.current.first?.commands.last != "QUIT", .now() < limit {
            try await Task.sleep(for: .milliseconds(1))
        }
        let asked = MonotonicInstant.now()
        // libcurl blocks its thread meanwhile; the loop of the caller goes on.
        await loop.spawn {}.value
        #expect(MonotonicInstant.now().since(asked) < .seconds(5))
        await mail.value
        // The refusal counts, and comes long before the deadline.
        #expect(outcome.current == .permanent(code: 550))
        #expect(MonotonicInstant.now().since(asked) < .seconds(20))
        #expect(relay.sessions.current.map(\.commands.last) == ["QUIT"])
        await relay.stop()
        pool.close()
        loop.end()
    }

    @Test("nobody listens") func refusedConnection() async throws {
        let relay = try ScriptedRelay()
        let port = relay.port
        await relay.stop()
        let settings = try SMTPSettings(host: "127.0.0.1", port: port, protection: .none)
        let error = try await withPool { pool -> SMTPError? in
            do throws(SMTPError) {
                try await SMTPClient(settings, through: pool).send(
                    from: Array("a@b.c".utf8),
                    to: Array("a@b.c".utf8),
                    message: Self.message,
                    deadline: .now().advanced(by: .seconds(30))
                )
                return nil
            } catch { return error }
        }
        #expect(error == .transient(code: 0))
    }

    @Test(
        "an address that could begin another command is refused, nothing is sent",
        arguments: [
            "a@b.c>\r\nRCPT TO:<x@y.z", "a@b.c\n", "a b@c.d", "a@b.c>", "<a@b.c", "", "ä@b.c",
            "a@b.c\u{0}",
        ]
    )
    func injection(_ address: String) async throws {
        let (error, sessions) = try await send(to: address)
        #expect(error == .address)
        #expect(sessions.isEmpty)
        #expect(try await send(from: address).error == .address)
    }

    @Test("one connection serves the next mail, and many mails go at once") func many()
        async throws
    {
        let relay = try ScriptedRelay()
        let settings = try SMTPSettings(host: "127.0.0.1", port: relay.port, protection: .none)
        let sent = try await withPool { pool in
            let client = SMTPClient(settings, through: pool)
            return await withTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let sent: Void? = try? await client.send(
                            from: Array("a@b.c".utf8),
                            to: Array("user\(number)@b.c".utf8),
                            message: Self.message,
                            deadline: .now().advanced(by: .seconds(30))
                        )
                        return sent != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        await relay.stop()
        #expect(sent == 20)
        let recipients = relay.sessions.current.flatMap(\.commands).filter {
            $0.hasPrefix("RCPT")
        }
        #expect(Set(recipients).count == 20)
    }

    @Test(
        "settings: no mail leaves the machine unprotected",
        arguments: [
            ("mail.example.com", SMTPSettings.Protection.none, SMTPSettings.Refusal.unprotected),
            ("10.0.0.1", .none, .unprotected), ("localhost.example.com", .none, .unprotected),
            ("127.mail.example.com", .none, .unprotected), ("127.0.0.1.com", .none, .unprotected),
            ("", .tls, .host), ("mail.example.com/x", .tls, .host), ("a b", .startTLS, .host),
        ]
    )
    func settings(
        _ host: String,
        _ protection: SMTPSettings.Protection,
        _ refusal: SMTPSettings.Refusal
    ) {
        #expect(throws: refusal) {
            try SMTPSettings(host: host, port: 25, protection: protection)
        }
    }
}
