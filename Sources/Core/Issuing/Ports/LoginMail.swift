package import Domain

/// A login link on its way to a person (WireContract 7.2).
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
