package import Domain

/// Tells a person that a key has been added that signs in as them.
package struct BiometricKeyMail: Hashable, Sendable {
    package var to: EmailAddress
    package var projectName: String
    package var clientName: String
    package var addedAt: Instant
    /// Where the key can be removed, ASCII.
    package var settingsLink: String
    /// What the app said of its phone and of itself.
    package var device: String?
    package var application: String?

    package init(
        to: EmailAddress,
        projectName: String,
        clientName: String,
        addedAt: Instant,
        settingsLink: String,
        device: String? = nil,
        application: String? = nil
    ) {
        self.to = to
        self.projectName = projectName
        self.clientName = clientName
        self.addedAt = addedAt
        self.settingsLink = settingsLink
        self.device = device
        self.application = application
    }
}
