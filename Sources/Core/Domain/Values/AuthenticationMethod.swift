/// A value of `amr` (RFC 8176).
package enum AuthenticationMethod: String, Hashable, Sendable, CaseIterable {
    case otp, hwk, user
}
