internal import Domain

extension SignInContext {
    /// What a request of this browser may end with.
    ///
    /// A pushed request may be loaded again (wire.md section 4.6), so its code is one that can be
    /// made again; that of any other is drawn.
    func code(of started: Authorization.Started, in browser: BrowserRequest) -> OpaqueToken {
        let drawn = commands.drawn(.authorizationCode, digester: digester)
        guard started.reference != nil, let binding = browser.transaction else { return drawn }
        return code(drawn.stream, in: binding)
    }

    /// The code of a pushed request, the same for the same stream and browser (decision 0114).
    func code(_ stream: StreamID, in binding: OpaqueToken) -> OpaqueToken {
        let secret = digester.mac(.pushedCode, stream.bytes + binding.secret).bytes
        return OpaqueToken(.authorizationCode, stream: stream, secret: secret, digester: digester)
    }
}
