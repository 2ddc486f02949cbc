package import Domain

/// Where a browser goes next.
package enum SignInStep: Sendable {
    case login(StreamID)
    case waiting(StreamID)
    case selectAccount(StreamID)
    case consent(StreamID)
    /// Back to the client.
    case respond(AuthorizationResponse)
}

/// A step, and the cookies that change on the way.
package struct SignInAnswer: Sendable {
    package var step: SignInStep
    package var cookies: [CookieChange]

    package init(_ step: SignInStep, cookies: [CookieChange] = []) {
        self.step = step
        self.cookies = cookies
    }
}

/// A cookie to set or delete (wire.md section 8.1).
package enum CookieChange: Sendable {
    case transaction(OpaqueToken)
    case session(OpaqueToken, maxAgeSeconds: Int64)
    case endSession
}
