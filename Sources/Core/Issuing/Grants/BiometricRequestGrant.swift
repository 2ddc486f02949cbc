internal import Domain
package import OAuth

/// Biometric keys: setting one up, logging in with it, letting another app in (wire.md 5.5).
package struct BiometricRequestGrant: GrantType {
    package static var names: [String] {
        ["urn:authgear:params:oauth:grant-type:biometric-request"]
    }
    package static var parameters: Set<String> {
        App2AppRequest.parameters.union(["jwt", "scope"])
    }
    package static var mintsAccessTokens: Bool { false }

    let commands: CommandRunner
    let issuance: TokenIssuance
    let digester: any Digester
    let devices: DeviceProofs
    let access: AccessProofs
    let names: StreamNames

    package init(
        commands: CommandRunner,
        issuance: TokenIssuance,
        digester: any Digester,
        devices: DeviceProofs,
        access: AccessProofs
    ) {
        self.commands = commands
        self.issuance = issuance
        self.digester = digester
        self.devices = devices
        self.access = access
        names = StreamNames(digester)
    }

    /// What the payload says it is for.
    private enum Action: String { case setup, authenticate, authenticate_app2app }

    package func exchange(_ request: TokenRequest, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let text = try request.required("jwt")
        guard caller.client.biometric != nil else {
            throw OAuthError(
                .unauthorizedClient,
                "this client has no biometric keys",
                refusal: "BK-001"
            )
        }
        let jwt = try devices.open(text, as: .biometric)
        guard let kid = jwt.keyID else {
            throw .refusedJWT("kid is missing", refusal: "DJ-001")
        }
        // Not verified yet: each branch verifies the very payload that chose it.
        guard let action = (jwt.payload["action"]?.string).flatMap(Action.init(rawValue:)) else {
            throw .refusedJWT("action", refusal: "DJ-004")
        }
        switch action {
        case .setup:
            try await setUp(jwt, kid: kid, for: caller)
            return TokenResponse()
        case .authenticate:
            let isMixed = App2AppRequest.parameters.contains { request.mentions($0) }
            let login = Login(jwt: jwt, kid: kid, isMixed: isMixed, scope: try request.scope())
            return try await authenticate(login, for: caller)
        case .authenticate_app2app:
            var login = Login(jwt: jwt, kid: kid, isMixed: false, scope: nil)
            login.approval = try approval(request, jwt, in: caller.project)
            return try await authenticate(login, for: caller)
        }
    }

    /// For which app, from the payload, and what for, from the form.
    private func approval(_ request: TokenRequest, _ jwt: ClientJWT, in project: Project)
        throws(OAuthError) -> Login.Approval
    {
        guard let name = jwt.payload["client_id"]?.string else {
            throw .refusedJWT("client_id is missing", refusal: "DJ-004")
        }
        guard let target = ClientID(name).flatMap(project.enabledClient) else {
            throw .refusedApp2App("the target is unknown", refusal: "AP-003")
        }
        return Login.Approval(
            target: target.id,
            request: try App2AppRequest(request, for: target, digester)
        )
    }
}

extension BiometricRequestGrant {
    /// One login with a biometric key.
    struct Login: Sendable {
        struct Approval: Sendable {
            var target: ClientID
            var request: App2AppRequest
        }

        var jwt: ClientJWT
        var kid: String
        /// Parameters of an approval came with a login that is none.
        var isMixed: Bool
        var scope: Scope?
        var approval: Approval?
    }
}
