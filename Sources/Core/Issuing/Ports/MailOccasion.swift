package import Domain

/// What a mail is about.
package enum MailOccasion: Hashable, Sendable {
    case loginLink(StreamID, generation: Int32)
    /// A biometric key was set up; `mail` is how its event calls the mail that says so.
    case biometricKey(StreamID, mail: StreamID)
}
