/// Why a mail was not handed over.
package enum SMTPError: Error, Hashable {
    /// Try again later: no answer, no connection, no TLS, a reply 4xx, or one 5xx to us and not to
    /// this mail, such as a refused login.
    ///
    /// `code` is the last reply, 0 without one.
    case transient(code: Int)
    /// The relay will never take it: a reply 5xx to this mail.
    case permanent(code: Int)
    /// An address with a byte that could begin another command; nothing was sent.
    case address
}
