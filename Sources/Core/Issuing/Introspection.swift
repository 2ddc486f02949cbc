internal import Domain
package import OAuth

/// Says whether a token is alive, from the log and never behind a revocation (WireContract 9.2).
package struct Introspection: Sendable {
    private let liveness: Liveness
    private let verifier: TokenVerifier
    private let digester: any Digester
    private let commands: CommandRunner
    private var clock: any WallClock { commands.clock }

    package init(
        liveness: Liveness,
        signer: any TokenSigner,
        digester: any Digester,
        commands: CommandRunner
    ) {
        self.liveness = liveness
        verifier = TokenVerifier(signer, projects: commands.projects)
        self.digester = digester
        self.commands = commands
    }

    /// What `token` stands for, as far as `caller` may know; else `inactive`.
    ///
    /// - Throws: `temporarily_unavailable` when the log did not answer: never "active".
    package func introspect(_ token: [UInt8], for caller: Caller)
        async throws(OAuthError) -> IntrospectionResponse
    {
        let now = clock.now
        if let assertion = caller.assertion {
            try await commands.spend(assertion, of: caller.client.id, caller.request)
        }
        let answer: (said: IntrospectionResponse, claims: AccessTokenClaims?)
        do {
            if let refresh = RefreshToken(reading: token, digester: digester) {
                answer = (try await introspect(refresh, for: caller, at: now), nil)
            } else {
                answer = try await introspectAccess(token, for: caller, at: now)
            }
        } catch { throw OAuthError(error) }
        guard case .active = answer.said else { return .inactive }
        guard let newer = newerProject(of: caller) else { return answer.said }
        guard !newer.isSuspended else { return .inactive }
        let client = try Self.client(of: caller, in: newer)
        guard let claims = answer.claims else { return answer.said }
        return Self.mayKnow(claims, client) ? answer.said : .inactive
    }

    private func introspectAccess(_ token: [UInt8], for caller: Caller, at now: Instant)
        async throws(StoreError) -> (said: IntrospectionResponse, claims: AccessTokenClaims?)
    {
        let claims = try await verifier.accessToken(
            token,
            of: caller.project,
            at: now,
            by: caller.deadline
        )
        guard let claims, try await mayKnow(claims, caller),
            try await liveness.isAlive(claims, in: caller.project, by: caller.deadline)
        else { return (.inactive, nil) }
        return (.active(Self.describe(claims, caller.project)), claims)
    }

    /// Decides by the caller's settings; asks the log for newer ones before it refuses.
    private func mayKnow(_ claims: AccessTokenClaims, _ caller: Caller)
        async throws(StoreError) -> Bool
    {
        if Self.mayKnow(claims, caller.client) { return true }
        let current = try await liveness.currentProject(caller.project, by: caller.deadline)
        guard current !== caller.project else { return false }
        guard let client = current.enabledClient(caller.client.id) else { return false }
        return Self.mayKnow(claims, client.value)
    }

    /// The configuration that the answer was compared with; nil when that is the one the caller
    /// proved itself to.
    private func newerProject(of caller: Caller) -> Project? {
        let number = caller.project.number
        guard let project = commands.projects.project(number: number), project !== caller.project,
            project.configuration != caller.project.configuration
        else { return nil }
        return project
    }

    /// The caller as `project` has it, which is newer than what it proved itself to.
    private static func client(of caller: Caller, in project: Project) throws(OAuthError)
        -> ClientSettings
    {
        guard let client = project.enabledClient(caller.client.id)?.value else {
            throw OAuthError(about: caller.client.id, in: project)
        }
        guard client.asksTheSame(as: caller.client) else { throw .otherSettings }
        return client
    }

    /// The client it was issued to, or a service that the token is meant for.
    private static func mayKnow(_ claims: AccessTokenClaims, _ client: ClientSettings) -> Bool {
        if claims.client == client.id { return true }
        guard client.applicationType == .m2m else { return false }
        return client.resources.contains { claims.audience.contains($0) }
    }

    private func introspect(_ token: RefreshToken, for caller: Caller, at now: Instant)
        async throws(StoreError) -> IntrospectionResponse
    {
        let session = try await liveness.session(
            token.session,
            for: caller.client.id,
            in: caller.project,
            at: now,
            by: caller.deadline
        )
        guard let live = session.live, let family = live.family(token.family),
            family.issue.client == caller.client.id
        else { return .inactive }
        let grace = grace(of: caller) * 1000
        guard takes(token, in: live, family, graceMilliseconds: grace, at: now) else {
            return .inactive
        }
        var end = min(live.value.endsAt, family.issue.expiresAt)
        if token.generation != family.generation {
            end = min(end, family.rotatedAt.adding(milliseconds: grace))
        }
        return .active(
            IntrospectionResponse.Token(
                issuer: caller.project.issuer,
                subject: live.sharedOpening.value.subject.description,
                audience: nil,
                client: family.issue.client.text,
                scope: family.issue.scope.text,
                // Nobody remembers when a token before the current one was issued.
                issuedAt: token.generation == family.generation ? family.rotatedAt.seconds : nil,
                expiresAt: end.seconds,
                token: nil,
                session: token.session.description,
                authenticatedAt: live.authentication.at.seconds,
                authenticationContext: live.authentication.context,
                authenticationMethods: live.authentication.methods.map(\.rawValue),
                type: .bearer,
                keyThumbprint: family.issue.dpopKey.map { Base64URL.text($0.digest.bytes) }
            )
        )
    }

    /// Whether a refresh would take the token: the current one, or the one before it when its
    /// answer may have been lost.
    private func takes(
        _ token: RefreshToken,
        in session: Shared<OfflineGrant.Session>,
        _ family: OfflineGrant.Family,
        graceMilliseconds: Int64,
        at now: Instant
    ) -> Bool {
        let shown = OfflineGrant.Presentation(
            family: token.family,
            generation: token.generation,
            presented: token.digest,
            // Whoever asks is asked for no proof.
            dpopKey: family.issue.dpopKey,
            graceMilliseconds: graceMilliseconds,
            at: now
        )
        // One too old for the fold was used up long ago: it needs no look at the log.
        let events = try? OfflineGrant.decide(.present(shown), in: .open(session))
        guard events?.isEmpty ?? false else { return false }
        // As for a refresh, which must answer with the same successor again.
        return token.generation == family.generation
            || token.successor(in: family, digester).digest == family.digests.last
    }

    /// By the settings that the answer was compared with.
    private func grace(of caller: Caller) -> Int64 {
        let project = commands.projects.project(number: caller.project.number)
        let client = project?.enabledClient(caller.client.id) ?? caller.sharedClient
        return client.value.refreshTokenGraceSeconds
    }

    private static func describe(_ claims: AccessTokenClaims, _ project: Project)
        -> IntrospectionResponse.Token
    {
        IntrospectionResponse.Token(
            issuer: project.issuer,
            subject: claims.subject,
            audience: claims.audience,
            client: claims.client.text,
            scope: claims.scope.text,
            issuedAt: claims.issuedAt.seconds,
            expiresAt: claims.expiresAt.seconds,
            token: claims.token.description,
            session: claims.session?.description,
            authenticatedAt: claims.authentication?.at.seconds,
            authenticationContext: claims.authentication?.context,
            authenticationMethods: claims.authentication?.methods.map(\.rawValue) ?? [],
            type: claims.confirmation == nil ? .bearer : .dpop,
            keyThumbprint: claims.confirmation.map { Base64URL.text($0.digest.bytes) }
        )
    }
}
