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
        code(stream, digester.mac(.pushedCode, stream.bytes + binding.secret))
    }

    /// The one that went out, by its digest on record; nil when it was made with a root secret that
    /// is gone.
    func code(
        again stream: StreamID,
        in binding: OpaqueToken,
        recorded: TokenDigest
    ) -> OpaqueToken? {
        let macs = digester.macs(.pushedCode, stream.bytes + binding.secret)
        return [macs.current, macs.second].lazy.compactMap { mac in
            mac.map { self.code(stream, $0) }
        }.first { $0.digest == recorded }
    }

    private func code(_ stream: StreamID, _ secret: TokenDigest) -> OpaqueToken {
        OpaqueToken(
            .authorizationCode,
            stream: stream,
            secret: secret.bytes,
            digester: digester
        )
    }
}
