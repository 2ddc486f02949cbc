package import Domain

/// A step, and the cookies that change on the way.
package struct SignInAnswer: Sendable {
    package var step: SignInStep
    package var cookies: [CookieChange]
    /// Of a pushed request; nil where the visit itself says it.
    package var colorScheme: AuthorizationRequest.ColorScheme?

    package init(_ step: SignInStep, cookies: [CookieChange] = []) {
        self.step = step
        self.cookies = cookies
    }
}
