internal import Domain
package import OAuth

/// Takes an authorization request from its client, before any browser comes (RFC 9126,
/// WireContract 4.6).
package struct PushRequest: Sendable {
    private let context: SignInContext
    private let reader: AuthorizationRequestReader
    private let tokens: TokenVerifier

    package init(_ context: SignInContext, signer: any TokenSigner) {
        self.context = context
        reader = AuthorizationRequestReader(signer: signer, digester: context.digester)
        tokens = TokenVerifier(signer, projects: context.commands.projects)
    }

    /// What the client sends its user's browser with.
    package struct Pushed: Sendable {
        /// `request_uri`.
        package var reference: [UInt8]
        package var expiresInSeconds: Int64
    }

    /// Checks all that does not depend on the browser, and keeps the request for its first one.
    ///
    /// `caller`: authenticated, its proof read.
    ///
    /// - Throws: what the authorization endpoint would have said, in form A; `invalid_dpop_proof`
    ///   when the proof and `dpop_jkt` name two keys.
    package func push(_ request: RequestParameters, from caller: Caller)
        async throws(OAuthError) -> Pushed
    {
        let commands = context.commands
        var asked = try reader.readPushed(
            request,
            of: caller.client,
            in: try await tokens.project(
                caller.project,
                knowing: try request.optional("id_token_hint"),
                by: caller.deadline
            ),
            at: commands.clock.now
        )
        if let key = caller.proof?.key {
            guard asked.request.dpopKey == nil || asked.request.dpopKey == key else {
                throw .refusedProof("dpop_jkt names another key")
            }
            asked.request.dpopKey = key
        }
        let reference = commands.drawn(.requestURI, digester: context.digester)
        let lifetime = caller.project.settings.requestURILifetimeSeconds
        var kept = asked.request
        kept.colorScheme = try AuthorizationRequest.ColorScheme(
            request.optional(AuthorizationRequestReader.colorScheme)
        )
        // Whether it lives is asked when a browser comes.
        kept.renews = asked.hintedSession
        kept.loginHint =
            kept.prompt.contains(.none)
            ? nil
            : try await context.sealed(
                asked.loginHint,
                of: reference.stream,
                in: caller.project,
                by: caller.deadline
            )
        let pushed = kept
        do {
            try await commands.run(caller.request.starting, on: reference.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                _ = try await work.admit(caller)
                var request = pushed
                request.startedAt = work.now
                request.expiresAt = work.after(seconds: lifetime)
                if request.loginHint != nil { work.attributes.seal = reference.stream }
                var authorization = Loaded<Authorization>.new(reference.stream)
                try work.deciding(
                    .push(request, secret: reference.digest),
                    on: &authorization
                )
            }
        } catch { throw OAuthError(error) }
        return Pushed(reference: reference.text, expiresInSeconds: lifetime)
    }
}
