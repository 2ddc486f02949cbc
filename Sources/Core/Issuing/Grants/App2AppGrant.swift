internal import Domain
package import OAuth

/// Lets another app in on a session's device key (seed app2app; WireContract 5.4).
///
/// The owner's app sends it: `client_id` is the target, the refresh token the owner's.
package struct App2AppGrant: GrantType {
    package static var names: [String] {
        [
            "urn:authgear:params:oauth:grant-type:app2app",
            "urn:authgear:params:oauth:grant-type:app2app-request",
        ]
    }
    package static var parameters: Set<String> {
        App2AppRequest.parameters.union(["refresh_token", "jwt", "scope"])
    }
    package static let required = ["refresh_token", "jwt"]
    package static var mintsAccessTokens: Bool { false }
    package static func showsOwnKey(_ request: RequestParameters) -> Bool { false }

    private let commands: CommandRunner
    private let digester: any Digester
    private let devices: DeviceProofs

    package init(commands: CommandRunner, digester: any Digester, devices: DeviceProofs) {
        self.commands = commands
        self.digester = digester
        self.devices = devices
    }

    private struct Asked: Sendable {
        var refreshToken: [UInt8]
        var jwt: [UInt8]
        var form: RequestParameters
        var request: App2AppRequest
    }

    /// What one attempt decided.
    private enum Outcome {
        case approved(OpaqueToken)
        /// A spent refresh token came again: the owner's session has just been ended.
        case reused(by: ClientID)
    }

    package func exchange(_ request: RequestParameters, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let asked = Asked(
            refreshToken: try request.required("refresh_token"),
            jwt: try request.required("jwt"),
            form: request,
            request: try App2AppRequest(request, for: caller.client, digester)
        )
        guard let presented = RefreshToken(reading: asked.refreshToken, digester: digester) else {
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
        case .approved(let code): return TokenResponse(code: code.text)
        case .reused(let owner):
            await commands.cascade(from: presented.session, caller.request(by: owner))
            throw .refusedRefreshToken("reuse", refusal: "RT-004")
        }
    }

    /// The order of lines is the order of WireContract 5.4.
    private func attempt(
        _ presented: RefreshToken,
        _ asked: Asked,
        _ caller: Caller,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Outcome {
        let target = try await work.admit(caller).value
        var asked = asked
        if target != caller.client {
            // What the target may be sent is what its settings say now.
            do { asked.request = try App2AppRequest(asked.form, for: target, digester) } catch {
                throw .refused(error)
            }
        }
        var grant = try await work.loading(OfflineGrant.self, presented.session.stream)
        let found = grant.state.session?.family(presented.family)
        if let found { try await work.requireKnown(found.issue.client) }
        let owner = found.flatMap { work.project.client($0.issue.client) }
        try await work.admitProof(of: owner, caller)
        guard let session = grant.state.session, let family = found
        else { throw .refused(.refusedRefreshToken("unknown session or family")) }
        // The request has the target's name; who sends it is the owner's app.
        work.act(as: family.issue.client, for: session.opening.subject, in: presented.session)
        try await requireLive(session, family, of: grant, in: &work)
        let isUnspent = try await work.show(
            presented,
            of: owner,
            key: caller.shownKey(for: family.issue.dpopKey, whoseOwnerHas: owner?.dpop),
            unreadable: caller.unreadableProof,
            on: &grant,
            commands.store
        )
        guard isUnspent else { return .reused(by: family.issue.client) }
        let rules: ClientSettings.App2App
        do {
            // What binds and proves is the first app's: a guest lets nobody in (decision 0105).
            let isFirst = family.issue.client == session.opening.client
            rules = try Self.rules(of: isFirst ? owner : nil, for: target, in: work.project)
        } catch { throw .refused(error) }
        guard work.project.accepts(session.authentication, at: target.id) else {
            throw .refused(.laxApproval)
        }
        let proof = try prove(asked, session, rules, target, work)
        let approver = proof.approver(showing: presented)
        let scope: Scope
        do { scope = try asked.request.scope(within: family.issue.scope, target) } catch {
            throw .refused(error)
        }
        try bind(proof, to: &grant, in: &work)
        try await work.spend(proof.use, refused: .usedChallenge)
        let code = try await work.approve(
            asked.request.approval(of: target, scope: scope, from: grant, approver),
            &grant,
            commands.entropy,
            digester
        )
        return .approved(code)
    }

    /// That the session has ended, or what it rests on, whatever key comes with its token.
    ///
    /// On that alone an app erases what it stored. Whether the token is good is asked later, and
    /// refused alike: who has none learns nothing.
    private func requireLive(
        _ session: OfflineGrant.Session,
        _ family: OfflineGrant.Family,
        of grant: Loaded<OfflineGrant>,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) {
        guard case .open = grant.state, session.isLive(at: work.now),
            work.now < family.issue.expiresAt
        else { throw .refused(.refusedRefreshToken("ended or expired")) }
        try await work.requireAlive(
            session,
            of: family.issue.client,
            refused: .refusedRefreshToken("subject or browser session ended")
        )
    }

    private static func rules(
        of owner: ClientSettings?,
        for target: ClientSettings,
        in project: Project
    ) throws(OAuthError) -> ClientSettings.App2App {
        // Nobody has shown here to be an owner that must authenticate.
        guard let owner, project.enabledClient(owner.id) != nil,
            owner.authenticationMethod == .none, let rules = owner.app2app
        else {
            throw .refusedApp2App("the owner lets nobody in", refusal: "AP-001")
        }
        guard !rules.biometricRequired else {
            throw .refusedApp2App("only a biometric key approves", refusal: "AP-002")
        }
        guard rules.allows(target, by: owner) else {
            throw .refusedApp2App("the owner does not let this client in", refusal: "AP-003")
        }
        return rules
    }

    /// What the signed JWT proved.
    private struct Proven {
        var key: DeviceKey
        var isNew: Bool
        var use: SingleUse

        func approver(showing presented: RefreshToken) -> App2AppRequest.Approver {
            .deviceKey(
                insecure: isNew,
                shown: OfflineGrant.App2AppApproval.ShownToken(
                    family: presented.family,
                    generation: presented.generation
                )
            )
        }
    }

    /// Steps 8 to 10.
    private func prove(
        _ asked: Asked,
        _ session: OfflineGrant.Session,
        _ rules: ClientSettings.App2App,
        _ target: ClientSettings,
        _ work: Work
    ) throws(CommandError<OAuthError>) -> Proven {
        do throws(OAuthError) {
            let jwt = try devices.open(asked.jwt, as: .app2app)
            let bound = session.deviceKey
            if let bound, let embedded = jwt.key, embedded != bound {
                throw .refusedJWT("the embedded key is not the bound one", refusal: "DJ-002")
            }
            let isBindingOn = rules.insecureBindingUntil.map { work.now < $0 } ?? false
            guard let key = bound ?? jwt.key else {
                guard isBindingOn else { throw .unboundSession }
                throw .refusedJWT("jwk is missing", refusal: "DJ-001")
            }
            try devices.requireSignature(of: jwt, by: key)
            guard bound != nil || isBindingOn else { throw .unboundSession }
            let expected = asked.request.expected(of: target, isStrict: rules.isStrict)
            let use = try devices.check(jwt, expected, in: work.project, at: work.now)
            return Proven(key: key, isNew: bound == nil, use: use)
        } catch { throw .refused(error) }
    }

    private func bind(_ proof: Proven, to grant: inout Loaded<OfflineGrant>, in work: inout Work)
        throws(CommandError<OAuthError>)
    {
        guard proof.isNew else { return }
        do { try work.decide(.bindDeviceKey(proof.key, insecure: true), on: &grant) } catch {
            throw .refused(.otherDeviceKey)
        }
    }
}

extension OAuthError {
    /// Who holds the refresh token alone may let nobody in.
    fileprivate static var unboundSession: Self {
        Self(.invalidGrant, "the session has no device key", refusal: "DK-002")
    }

    /// The settings do not allow it.
    static func refusedApp2App(_ cause: String, refusal: StaticString) -> Self {
        Self(
            .unauthorizedClient,
            "this client may not be let in",
            cause: cause,
            refusal: refusal
        )
    }

    /// A login that the target's policy does not take (WireContract 7.3; decision 0240).
    static var laxApproval: Self {
        refusedApp2App("the owner's login does not meet its policy", refusal: "AP-009")
    }
}
