/// A step, and the cookies that change on the way.
package struct SignInAnswer: Sendable {
    package var step: SignInStep
    package var cookies: [CookieChange]

    package init(_ step: SignInStep, cookies: [CookieChange] = []) {
        self.step = step
        self.cookies = cookies
    }
}
