package import Domain

/// A mail to one person.
package enum Mail: Hashable, Sendable {
    case login(LoginMail)
    case biometricKey(BiometricKeyMail)

    package var to: EmailAddress {
        switch self {
        case .login(let mail): mail.to
        case .biometricKey(let mail): mail.to
        }
    }

    package var projectName: String {
        switch self {
        case .login(let mail): mail.projectName
        case .biometricKey(let mail): mail.projectName
        }
    }
}
