package import Domain

/// Hands one login mail to the mail relay.
package protocol MailSender: Sendable {
    func send(_ mail: LoginMail, by deadline: Deadline) async throws(MailError)
}

/// A login link on its way to a person (wire.md section 7.2).
package struct LoginMail: Hashable, Sendable {
    package var to: EmailAddress
    package var projectName: String
    package var clientName: String
    /// The link, ASCII.
    package var link: String
    package var validMinutes: Int
    package var requestedAt: Instant
    package var device: String?
    package var place: String?

    package init(
        to: EmailAddress,
        projectName: String,
        clientName: String,
        link: String,
        validMinutes: Int,
        requestedAt: Instant,
        device: String? = nil,
        place: String? = nil
    ) {
        self.to = to
        self.projectName = projectName
        self.clientName = clientName
        self.link = link
        self.validMinutes = validMinutes
        self.requestedAt = requestedAt
        self.device = device
        self.place = place
    }
}

/// Why a mail was not taken.
package enum MailError: Error, Hashable {
    /// Try again later; the SMTP reply code, 0 without one.
    case transient(code: Int)
    /// Never will be; the SMTP reply code.
    case permanent(code: Int)
}
