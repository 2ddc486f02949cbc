/// A cookie to set or delete (wire.md section 8.1).
package enum CookieChange: Sendable {
    case transaction(OpaqueToken)
    case session(OpaqueToken, maxAgeSeconds: Int64)
    case endSession
}
