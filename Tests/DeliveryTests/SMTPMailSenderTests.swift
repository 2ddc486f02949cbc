import Delivery
import Domain
import HTTPClient
import InMemory
import Issuing
import Runtime
import Testing

@Suite("Handing mails to a relay", .timeLimit(.minutes(1))) struct SMTPMailSenderTests {
    @Test("each mail on its way has a connection that is kept for the next") func connections() {
        #expect(TransferPool.connectionsKept >= MailDispatch.onTheWayMax)
    }

    @Test("a relay that says nothing is given up long before the caller's deadline")
    func stalled() async throws {
        // The kernel answers the connect, and nobody says a word.
        let listener = try Sockets.listen(at: .loopback(port: 0))
        defer { Sockets.close(listener) }
        let port = Sockets.localAddress(of: listener).port
        let pool = try TransferPool()
        defer { pool.close() }
        let settings = try SMTPSettings(host: "127.0.0.1", port: port, protection: .none)
        let address = try #require(EmailAddress(Array("noreply@example.com".utf8)))
        let sender = SMTPMailSender(
            SMTPClient(settings, through: pool),
            from: address,
            clock: SettableClock(Instant(seconds: 1_795_232_560)),
            entropy: SeededEntropy(seed: 1),
            transmissionMax: .milliseconds(200)
        )
        let mail = BiometricKeyMail(
            to: address,
            projectName: "Example Bank",
            clientName: "Example App",
            addedAt: Instant(seconds: 1_795_232_554),
            settingsLink: "https://auth.example.com/settings",
            device: nil,
            application: nil
        )
        let start = MonotonicInstant.now()
        let deadline = Deadline(nanoseconds: start.advanced(by: .seconds(30)).nanoseconds)
        await #expect(throws: MailError.transient(code: 0)) {
            try await sender.send(.biometricKey(mail), by: deadline)
        }
        #expect(MonotonicInstant.now() < start.advanced(by: .seconds(5)))
    }
}
