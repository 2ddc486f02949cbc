/// A cookie to set or delete (WireContract 8.1).
package enum CookieChange: Sendable {
    case transaction(OpaqueToken)
    case session(OpaqueToken, maxAgeSeconds: Int64)
    case endSession
    /// A web client's access token, for its own server.
    case accessToken([UInt8])
    case endAccessToken
    /// Each kind has a cookie of its own (decision 0244).
    case appSession([UInt8], AppSession.Origin)
    /// Those of both kinds.
    case endAppSessions
}
