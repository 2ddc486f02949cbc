internal import Domain
package import OAuth

/// Trades a refresh token for new tokens (RFC 6749 section 6, RFC 9700 section 4.14.2).
///
/// A class, as `TokenEndpoint`: what a command runs names it.
package final class RefreshTokenGrant: GrantType {
    package static var names: [String] { ["refresh_token"] }
    package static let required = ["refresh_token"]
    package static let parameters: Set<String> = [
        "refresh_token", "scope", "resource", "device_secret",
    ]

    private let commands: CommandRunner
    private let issuance: TokenIssuance
    private let digester: any Digester
    private let secrets: DeviceSecrets

    package init(commands: CommandRunner, issuance: TokenIssuance, digester: any Digester) {
        self.commands = commands
        self.issuance = issuance
        self.digester = digester
        secrets = DeviceSecrets(digester: digester, entropy: commands.entropy)
    }

    /// What one attempt decided.
    private enum Outcome {
        case granted(TokenIssuance.Grant)
        /// A spent token came again: the session has just been ended.
        case reused
    }

    package func exchange(_ request: RequestParameters, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let text = try request.required("refresh_token")
        let asked = Asked(
            scope: try request.scope(),
            resources: try request.resources(),
            deviceSecret: try request.optional("device_secret").flatMap(secrets.read)
        )
        guard let presented = RefreshToken(reading: text, digester: digester) else {
            throw .refusedRefreshToken("not a refresh token")
        }
        let outcome: Outcome
        do {
            outcome = try await commands.run(caller.request, on: presented.session.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await attempt(presented, asked, caller, in: &work)
            }
        } catch { throw OAuthError(error) }
        switch outcome {
        case .granted(let grant): return try issuance.response(grant, in: caller.project)
        case .reused:
            await commands.cascade(from: presented.session, caller.request)
            throw .refusedRefreshToken("reuse", refusal: "RT-004")
        }
    }

    private struct Asked: Sendable {
        var scope: Scope?
        var resources: [[UInt8]]
        var deviceSecret: OpaqueToken?
    }

    private func attempt(
        _ presented: RefreshToken,
        _ asked: Asked,
        _ caller: Caller,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Outcome {
        let client = try await work.admit(caller)
        var grant = try await work.loading(OfflineGrant.self, presented.session.stream)
        guard let session = grant.state.sharedSession, let family = session.family(presented.family)
        else { throw .refused(.refusedRefreshToken("unknown session or family")) }
        let issue = family.sharedIssue
        let successor = presented.successor(in: family, digester)
        // A session that ends takes its tokens with it: none may live longer (I8).
        let expiresAt = session.sharedOpening.value.clip(
            work.after(seconds: client.value.accessTokenLifetimeSeconds)
        )
        var refresh = OfflineGrant.Refresh(
            family: presented.family,
            generation: presented.generation,
            presented: presented.digest,
            successor: successor.digest,
            client: client.value.id,
            dpopKey: caller.shownKey(for: issue.value.dpopKey, whoseOwnerHas: client.value.dpop),
            scope: asked.scope,
            allowedScope: client.value.allowedScopes,
            rotates: client.rotates(dpopBound: issue.value.dpopKey != nil),
            graceMilliseconds: client.value.refreshTokenGraceSeconds * 1000,
            token: TokenID(.timeOrdered(at: work.now, from: commands.entropy)),
            tokenExpiresAt: expiresAt,
            at: work.now
        )
        work.attributes.subject = session.sharedOpening.value.subject
        work.attributes.session = presented.session
        let events = try await decide(&refresh, on: &grant, in: &work)
        if events.contains(where: { if case .reuseDetected = $0 { true } else { false } }) {
            return .reused
        }
        try await work.requireAlive(session.value, of: refresh.client, refused: .endedRefresh)
        var granted = try granted(
            events,
            refresh,
            successor,
            session,
            issue,
            asked,
            caller,
            client,
            work
        )
        granted.deviceSecret = try work.handDeviceSecret(
            asked.deviceSecret,
            of: refresh.client,
            for: granted.scope,
            to: &grant,
            key: issue.value.dpopKey,
            secrets
        )
        return .granted(granted)
    }

    /// Decides; a digest too old for the fold is looked up in the log first.
    private func decide(
        _ refresh: inout OfflineGrant.Refresh,
        on grant: inout Loaded<OfflineGrant>,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> [OfflineGrant.Event] {
        do { return try work.decide(.refresh(refresh), on: &grant) } catch {
            guard case .proofNeeded = error else {
                throw try await refusal(error, of: refresh, grant.state.sharedSession, in: &work)
            }
        }
        let recorded = RecordedTokens(store: commands.store)
        let found: Bool
        do {
            found = try await recorded.contains(refresh, in: grant.stream, by: work.deadline)
        } catch { throw .store(error) }
        guard found else { throw .refused(.refusedRefreshToken("digest was never issued")) }
        refresh.proven = true
        do { return try work.decide(.refresh(refresh), on: &grant) } catch {
            throw try await refusal(error, of: refresh, grant.state.sharedSession, in: &work)
        }
    }

    /// What is over no other scope brings back, so it is said first (WireContract 5.3, step 4).
    private func refusal(
        _ rejection: OfflineGrant.Rejection,
        of refresh: OfflineGrant.Refresh,
        _ session: Shared<OfflineGrant.Session>?,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> CommandError<OAuthError> {
        if case .scope = rejection, let session {
            try await work.requireAlive(session.value, of: refresh.client, refused: .endedRefresh)
        }
        return .refused(OAuthError(rejection, refresh.dpopKey))
    }

    private func granted(
        _ events: [OfflineGrant.Event],
        _ refresh: OfflineGrant.Refresh,
        _ successor: RefreshToken,
        _ session: Shared<OfflineGrant.Session>,
        _ issue: Shared<OfflineGrant.RefreshTokenIssue>,
        _ asked: Asked,
        _ caller: Caller,
        _ client: Shared<ClientSettings>,
        _ work: Work
    ) throws(CommandError<OAuthError>) -> TokenIssuance.Grant {
        // Both a rotation and a retry inside the grace answer with the successor.
        let rotated = events.contains { event in
            switch event {
            case .refreshed(let refreshed): refreshed.secret != nil
            case .retried: true
            default: false
            }
        }
        let scope = refresh.scope ?? issue.value.scope
        let audience: [String]
        do {
            audience = try Audience.resolve(
                asked: asked.resources,
                granted: issue.value.resources,
                scope: scope,
                defaults: client.value.defaultResources,
                issuer: work.project.issuer
            )
        } catch { throw .refused(error) }
        return TokenIssuance.Grant(
            token: refresh.token,
            subject: session.sharedOpening.value.subject,
            session: successor.session,
            client: refresh.client,
            scope: scope,
            audience: audience,
            authentication: session.authentication,
            refreshToken: rotated ? successor.text : nil,
            confirmation: caller.confirmation,
            issuedAt: work.now,
            expiresAt: refresh.tokenExpiresAt
        )
    }
}

extension OAuthError {
    fileprivate static var endedRefresh: Self {
        .refusedRefreshToken("subject, browser session or consent ended")
    }

    fileprivate init(_ rejection: OfflineGrant.Rejection, _ key: Thumbprint?) {
        switch rejection {
        case .otherKey: self = .otherKey(key, refusal: "RT-003")
        case .scope:
            self.init(.invalidScope, "the scope exceeds what was granted", refusal: "RT-005")
        case .alreadyOpen, .unknown, .otherClient, .otherSubject, .otherDeviceKey, .expired, .ended,
            .proofNeeded, .wrongSecret, .stranger, .tooMany:
            self = .refusedRefreshToken("\(rejection)")
        }
    }
}
