/// The kinds of stream there are (Events 8); the raw value is the stored name's prefix.
package enum AggregateKind: String, CaseIterable, Sendable {
    case subject
    case loginID = "login-id"
    case loginLink = "login-link"
    case authorization
    case browserSession = "browser-session"
    case authorizationCode = "authorization-code"
    case offlineGrant = "offline-grant"
    case biometricKey = "biometric-key"
    case preAuthenticatedURL = "pre-authenticated-url"
    case consent
    case spent
    case signingKey = "signing-key"
    case projectConfig = "project-config"
}
