/// A cookie to set or delete (WireContract 8.1).
package enum CookieChange: Sendable {
    case transaction(OpaqueToken)
    case session(OpaqueToken, maxAgeSeconds: Int64)
    case endSession
    /// A web client's access token, for its own server.
    case accessToken([UInt8])
    case endAccessToken
    case appSession([UInt8])
    case endAppSession
}
