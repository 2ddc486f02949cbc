package import Domain
package import HTTPClient
package import Issuing
internal import Runtime

/// Writes mails and hands them to the relay.
package struct SMTPMailSender: MailSender {
    private struct Relay {
        var client: SMTPClient
        var sender: EmailAddress
    }

    /// How long one mail may take the relay: it has one of the few places of its node meanwhile.
    package static let transmissionMax = Duration.seconds(10)

    private let relay: Guarded<Relay>
    private let transmissionMax: Duration
    private let clock: any WallClock
    private let entropy: any Entropy

    /// Sends everything from `sender`, one recipient at a time.
    package init(
        _ client: SMTPClient,
        from sender: EmailAddress,
        clock: any WallClock,
        entropy: any Entropy,
        transmissionMax: Duration = transmissionMax
    ) {
        relay = Guarded(Relay(client: client, sender: sender))
        self.clock = clock
        self.transmissionMax = transmissionMax
        self.entropy = entropy
    }

    /// Sends all further mails otherwise; from any thread.
    package func use(_ client: SMTPClient, from sender: EmailAddress) {
        relay.replace(with: Relay(client: client, sender: sender))
    }

    package func send(_ mail: Mail, by deadline: Deadline) async throws(MailError) {
        let relay = relay.current
        // How it ended is still to be recorded by the deadline.
        let limit = min(
            MonotonicInstant(nanoseconds: deadline.nanoseconds),
            MonotonicInstant.now().advanced(by: transmissionMax)
        )
        do throws(SMTPError) {
            try await relay.client.send(
                from: relay.sender.bytes,
                to: mail.to.bytes,
                message: message(mail, from: relay.sender).render(),
                deadline: limit
            )
        } catch {
            switch error {
            case .transient(let code): throw .transient(code: code)
            case .permanent(let code): throw .permanent(code: code)
            case .address: throw .permanent(code: 0)
            }
        }
    }

    private func message(_ mail: Mail, from sender: EmailAddress) -> MailMessage {
        let letters = Array("abcdefghijklmnop".unicodeScalars)
        var token = ""
        for byte in entropy.bytes(16) {
            token.unicodeScalars.append(letters[Int(byte >> 4)])
            token.unicodeScalars.append(letters[Int(byte & 15)])
        }
        return MailMessage(mail, from: sender, token: token, at: clock.now)
    }
}
