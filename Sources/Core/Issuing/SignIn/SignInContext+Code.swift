internal import Domain

extension SignInContext {
    /// What this request of this browser may end with.
    ///
    /// A code that can be made again: its answer may be lost, or a button pressed twice
    /// (decision 0128).
    func code(for started: Authorization.Started, of browser: BrowserRequest) -> OpaqueToken {
        let drawn = commands.drawn(.authorizationCode, digester: digester)
        guard let binding = browser.binding(started.browser) else { return drawn }
        return code(drawn.stream, in: binding)
    }

    /// The same for the same stream and browser (decision 0114).
    func code(_ stream: StreamID, in binding: OpaqueToken) -> OpaqueToken {
        let secret = digester.mac(.pushedCode, stream.bytes + binding.secret).bytes
        return OpaqueToken(.authorizationCode, stream: stream, secret: secret, digester: digester)
    }
}
