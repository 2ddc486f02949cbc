package import Domain
package import OAuth

/// Gives the holder of a refresh token a token for a browser (`POST /oauth2/app_session_token`,
/// WireContract 9.6).
package struct IssueAppSessionToken: Sendable {
    private let commands: CommandRunner
    private let digester: any Digester
    private let tokens: AppSessionTokens
    private let proofs: DPoPProofs
    private let memory: any ProofMemory

    package init(
        commands: CommandRunner,
        digester: any Digester,
        proofs: DPoPProofs,
        memory: any ProofMemory
    ) {
        self.commands = commands
        self.digester = digester
        self.proofs = proofs
        self.memory = memory
        tokens = AppSessionTokens(digester)
    }

    /// One request.
    package struct Request: Sendable {
        package var refreshToken: [UInt8]
        package var proof: DPoPProofs.Request
        package var project: Project
        package var deadline: Deadline
        package var correlation: Correlation?

        package init(
            refreshToken: [UInt8],
            proof: DPoPProofs.Request,
            project: Project,
            deadline: Deadline,
            correlation: Correlation? = nil
        ) {
            self.refreshToken = refreshToken
            self.proof = proof
            self.project = project
            self.deadline = deadline
            self.correlation = correlation
        }
    }

    private enum Outcome {
        case issued(AppSessionTokens.Token, proof: DPoPProofs.Proof?)
        /// A spent refresh token came again: its session has just been ended.
        case reused
    }

    /// A nonce for the caller's next proof; nil when the project asks for none.
    package func nonce(in project: Project) -> String? { proofs.nonce(in: project) }

    /// The refresh token is shown, not used up.
    ///
    /// - Throws: `InvalidGrant` for whatever makes it worthless, `InvalidDPoPKeyBinding` for the
    ///   proof, `AccessDenied` without full access, for a client that must prove itself or push its
    ///   requests, and in a suspended project.
    package func issue(_ request: Request) async throws(EnvelopeError) -> AppSessionTokens.Token {
        do throws(OAuthError) { return try await run(request) } catch {
            throw EnvelopeError(appSession: error)
        }
    }

    private func run(_ request: Request) async throws(OAuthError) -> AppSessionTokens.Token {
        guard let presented = RefreshToken(reading: request.refreshToken, digester: digester)
        else { throw .refusedRefreshToken("not a refresh token") }
        let attributes = EventAttributes(actor: .system, correlation: request.correlation)
        let command = CommandRequest(
            project: request.project,
            attributes: attributes,
            deadline: request.deadline
        )
        let outcome: Outcome
        do {
            outcome = try await commands.run(command, on: presented.session.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await attempt(presented, request, in: &work)
            }
        } catch { throw OAuthError(error) }
        switch outcome {
        case .issued(let token, let proof):
            try remember(proof, in: request.project)
            return token
        case .reused:
            await commands.cascade(from: presented.session, command)
            throw .refusedRefreshToken("reuse", refusal: "RT-004")
        }
    }

    private func attempt(_ presented: RefreshToken, _ request: Request, in work: inout Work)
        async throws(CommandError<OAuthError>) -> Outcome
    {
        var grant = try await work.loading(OfflineGrant.self, presented.session.stream)
        guard let session = grant.state.session, let family = session.family(presented.family)
        else { throw .refused(.refusedRefreshToken("unknown session or family")) }
        try await work.requireKnown(family.issue.client)
        guard let client = work.project.enabledClient(family.issue.client)?.value else {
            // A client that is only disabled comes back: its app must not erase its session.
            let isKnown = work.project.client(family.issue.client) != nil
            let refusal: OAuthError =
                isKnown ? .invalidClient : .refusedRefreshToken("no such client")
            throw .refused(OAuthError(about: family.issue.client, in: work.project, refusal))
        }
        // Nothing is appended, mostly: then what was guarded is compared (decision 0107).
        work.require(work.project.configuration)
        work.act(as: client.id, for: session.opening.subject, in: presented.session)
        let proof: DPoPProofs.Proof?
        do throws(OAuthError) {
            let rules = DPoPProofs.Rules(of: client)
            proof = try proofs.read(request.proof, by: rules, in: work.project)
        } catch { throw .refused(error) }
        let key = client.dpop == .disabled ? family.issue.dpopKey : proof?.key
        guard try await work.show(presented, of: client, key: key, on: &grant, commands.store)
        else { return .reused }
        try await work.requireAlive(
            session,
            of: client.id,
            refused: .refusedRefreshToken("subject or browser session ended")
        )
        // Only a public client's token is proof enough, and only full access opens all pages.
        guard client.authenticationMethod == .none, family.issue.scope.contains(UserAccess.scope),
            client.allowedScopes.contains(UserAccess.scope)
        else { throw .refused(.insufficientScope(UserAccess.scope)) }
        guard !client.requiresPushedRequests else { throw .refused(.unpushableToken) }
        let token = tokens.issue(
            for: presented.session,
            of: client.id,
            in: work.project,
            at: work.now,
            from: commands.entropy
        )
        // Beside a token that is not bound it binds nothing, and its key costs nobody anything.
        return .issued(token, proof: family.issue.dpopKey == nil ? nil : proof)
    }

    /// Nothing is appended that could remember it.
    private func remember(_ proof: DPoPProofs.Proof?, in project: Project) throws(OAuthError) {
        guard let proof else { return }
        let holder = ProofHolder(.key(proof.key), in: project.number)
        try memory.remember(proof, of: holder, at: commands.clock.now)
    }
}

extension OAuthError {
    /// Its browser brings what was pushed: nothing would redeem the token (decision 0115).
    fileprivate static var unpushableToken: Self {
        Self(
            .unauthorizedClient,
            "the client must push its requests, which an app-session token cannot be",
            refusal: "AZ-020"
        )
    }
}

extension EnvelopeError {
    fileprivate init(appSession error: OAuthError) {
        let reason: Reason =
            switch error.code {
            case .invalidGrant: .invalidGrant
            case .invalidClient: .unauthenticated
            case .serverError: .unexpectedError
            case .invalidDPoPProof, .useDPoPNonce: .invalidDPoPKeyBinding
            case .insufficientScope, .unauthorizedClient: .accessDenied
            case .rateLimited: .rateLimited
            case .temporarilyUnavailable: .serviceUnavailable
            default: .badRequest
            }
        self.init(reason, like: error)
        // A 401 must have one (RFC 9110 section 15.5.2); no access token came to find fault with.
        challenge = reason == .unauthenticated ? .bearer(error: nil) : nil
    }
}
