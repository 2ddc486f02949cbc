internal import Domain

/// Why a mail was not taken.
package enum MailError: Error, Hashable {
    /// Try again later; the SMTP reply code, 0 without one.
    case transient(code: Int)
    /// Never will be; the SMTP reply code.
    case permanent(code: Int)
}
