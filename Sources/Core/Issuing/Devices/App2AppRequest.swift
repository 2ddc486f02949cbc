internal import Domain
internal import OAuth

/// What the other app asked for in its link: a code for its redirect URI and its PKCE challenge.
struct App2AppRequest: Sendable {
    static let parameters: Set<String> = [
        "redirect_uri", "code_challenge", "code_challenge_method",
    ]

    /// With which key the session approves.
    enum Approver: Sendable {
        /// `insecure`: the key is bound in this very request; `shown`: what came with it.
        case deviceKey(insecure: Bool, shown: OfflineGrant.App2AppApproval.ShownToken)
        case biometric

        var isInsecure: Bool {
            if case .deviceKey(let insecure, _) = self { insecure } else { false }
        }
        var isBiometric: Bool { if case .biometric = self { true } else { false } }
        /// A biometric key comes with no token.
        var shown: OfflineGrant.App2AppApproval.ShownToken? {
            if case .deviceKey(_, let shown) = self { shown } else { nil }
        }
    }

    /// One approval, ready to be appended.
    struct Approval: Sendable {
        var target: ClientSettings
        var redirectURI: RedirectURI
        var codeChallenge: CodeChallenge
        var scope: Scope
        var owner: SessionID
        var approver: Approver
    }

    let redirectURI: RedirectURI
    /// As sent, for the JWT that names it.
    let challengeText: [UInt8]
    let codeChallenge: CodeChallenge
    let scope: Scope?

    /// Steps 1 and 2 of WireContract 5.4.
    ///
    /// - Throws: `invalid_request`; `unauthorized_client` for a target that keeps a secret.
    init(_ request: RequestParameters, for target: ClientSettings, _ digester: any Digester)
        throws(OAuthError)
    {
        let uri = try request.required("redirect_uri")
        challengeText = try request.required("code_challenge")
        let method = try request.optional("code_challenge_method")
        guard method?.elementsEqual("S256".utf8) ?? true, challengeText.count == 43,
            let digest = Base64URL.decode(challengeText).flatMap({ TokenDigest(bytes: $0) })
        else {
            throw OAuthError(.invalidRequest, "code_challenge is malformed", refusal: "AP-004")
        }
        scope = try request.scope()
        guard target.authenticationMethod == .none else {
            throw .refusedApp2App("the target is not public", refusal: "AP-003")
        }
        guard let named = RedirectURI(uri), target.redirectURIs.contains(named) else {
            throw OAuthError(
                .invalidRequest,
                "redirect_uri is not one of the client's",
                refusal: "AP-005"
            )
        }
        redirectURI = named
        codeChallenge = CodeChallenge(digest: digest)
    }

    /// What the JWT must be for.
    func expected(
        of target: ClientSettings,
        purpose: Challenges.Purpose = .app2app,
        isStrict: Bool
    ) -> DeviceProofs.Expected {
        DeviceProofs.Expected(
            purpose: purpose,
            client: target.id,
            redirectURI: redirectURI,
            codeChallenge: challengeText,
            isStrict: isStrict
        )
    }

    /// The owner's scope, cut to the target's and to what was asked for: never more (I7).
    func scope(within owner: Scope, _ target: ClientSettings) throws(OAuthError) -> Scope {
        var cut = owner.intersection(target.allowedScopes)
        if let scope { cut = cut.intersection(scope) }
        guard !cut.isEmpty else {
            throw OAuthError(.invalidScope, "no scope is left", refusal: "AP-006")
        }
        return cut
    }

    func approval(
        of target: ClientSettings,
        scope: Scope,
        from owner: Loaded<OfflineGrant>,
        _ approver: Approver
    ) -> Approval {
        Approval(
            target: target,
            redirectURI: redirectURI,
            codeChallenge: codeChallenge,
            scope: scope,
            owner: SessionID(owner.stream),
            approver: approver
        )
    }
}

extension Work {
    /// Issues the target's code and records the approval on the owner's session, in one append.
    mutating func approve(
        _ approval: App2AppRequest.Approval,
        _ owner: inout Loaded<OfflineGrant>,
        _ entropy: any Entropy,
        _ digester: any Digester
    ) async throws(CommandError<OAuthError>) -> OpaqueToken {
        guard let session = owner.state.session else {
            throw .refused(OAuthError(.serverError, "try again later", cause: "no owner"))
        }
        try await requireRoom(for: approval.target.id, below: owner)
        let code = OpaqueToken(
            .authorizationCode,
            stream: .timeOrdered(at: now, from: entropy),
            secret: entropy.bytes(32),
            digester: digester
        )
        let ticket = AuthorizationCode.Ticket(
            client: approval.target.id,
            redirectURI: approval.redirectURI,
            redirectURIGiven: true,
            scope: approval.scope,
            secret: code.digest,
            codeChallenge: approval.codeChallenge,
            subject: session.opening.subject,
            authentication: session.authentication,
            parent: Parent(kind: .session, stream: owner.stream),
            via: approval.approver.isBiometric ? .app2appBiometric : .app2app,
            browserSession: nil,
            owner: approval.owner,
            expiresAt: session.opening.clip(after(seconds: project.settings.codeLifetimeSeconds))
        )
        let record = OfflineGrant.App2AppApproval(
            code: code.stream,
            target: approval.target.id,
            insecure: approval.approver.isInsecure,
            biometric: approval.approver.isBiometric,
            shown: approval.approver.shown
        )
        var issued = Loaded<AuthorizationCode>.new(code.stream)
        do {
            try decide(.issue(ticket), on: &issued)
            try decide(.approveApp2App(record), on: &owner)
        } catch {
            throw .refused(OAuthError(.serverError, "try again later", cause: "\(error)"))
        }
        try await recordConsent(approval, of: session.opening.subject)
        return code
    }

    /// Somebody else's app was let in by the user: that is a consent.
    private mutating func recordConsent(
        _ approval: App2AppRequest.Approval,
        of subject: SubjectID
    ) async throws(CommandError<OAuthError>) {
        guard approval.target.consentRequired else { return }
        let stream = names.consent(subject, approval.target.id, in: project.number)
        var consent = try await loading(Consent.self, stream)
        do { try decide(.give(approval.target.id, approval.scope), on: &consent) } catch {
            throw .refused(OAuthError(.serverError, "try again later", cause: "\(error)"))
        }
    }
}
