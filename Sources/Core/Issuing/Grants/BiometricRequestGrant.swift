internal import Domain
package import OAuth

/// Biometric keys: setting one up, logging in with it, letting another app in (WireContract 5.5).
package struct BiometricRequestGrant: GrantType {
    package static var names: [String] {
        ["urn:authgear:params:oauth:grant-type:biometric-request"]
    }
    package static var parameters: Set<String> {
        App2AppRequest.parameters.union(["jwt", "scope"])
    }
    package static let required = ["jwt"]
    package static var mintsAccessTokens: Bool { false }

    let commands: CommandRunner
    let issuance: TokenIssuance
    let digester: any Digester
    let devices: DeviceProofs
    let access: AccessProofs
    let secrets: DeviceSecrets
    let pace: any LoginPace
    let sealer: any Sealer
    let mailQueue: any MailQueue
    let mailIsDue: @Sendable () -> Void

    package init(
        commands: CommandRunner,
        issuance: TokenIssuance,
        digester: any Digester,
        devices: DeviceProofs,
        access: AccessProofs,
        pace: any LoginPace,
        sealer: any Sealer,
        mailQueue: any MailQueue,
        mailIsDue: @escaping @Sendable () -> Void
    ) {
        self.pace = pace
        self.sealer = sealer
        self.mailQueue = mailQueue
        self.mailIsDue = mailIsDue
        self.commands = commands
        self.issuance = issuance
        self.digester = digester
        self.devices = devices
        self.access = access
        secrets = DeviceSecrets(digester: digester, entropy: commands.entropy)
    }

    /// What the payload says it is for.
    private enum Action: String, CaseIterable {
        case setup, authenticate, authenticate_app2app

        init?(_ text: String) {
            let known = Self.allCases.first { text.isSame(as: $0.rawValue) }
            guard let known else { return nil }
            self = known
        }
    }

    package func exchange(_ request: RequestParameters, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let text = try request.required("jwt")
        guard caller.client.biometric != nil else { throw .withoutBiometricKeys }
        let jwt = try devices.open(text, as: .biometric)
        guard let kid = jwt.keyID else {
            throw .refusedJWT("kid is missing", refusal: "DJ-001")
        }
        // Not verified yet: each branch verifies the very payload that chose it.
        guard let action = (jwt.payload["action"]?.string).flatMap({ Action($0) }) else {
            throw .refusedJWT("action", refusal: "DJ-004")
        }
        switch action {
        case .setup:
            try await setUp(jwt, kid: kid, for: caller)
            return TokenResponse()
        case .authenticate, .authenticate_app2app:
            var login = Login(jwt: jwt, kid: kid, form: request)
            login.scope = try request.scope()
            login.isApproval = action == .authenticate_app2app
            return try await authenticate(login, for: caller)
        }
    }
}

extension BiometricRequestGrant {
    /// One login with a biometric key.
    struct Login: Sendable {
        var jwt: ClientJWT
        var kid: String
        var form: RequestParameters
        var scope: Scope?
        /// Whether it lets another app in, too: read from the form once the key has signed.
        var isApproval = false
    }

    /// Which app a login lets in, and what that one asked for.
    struct Approval: Sendable {
        var target: ClientSettings
        var request: App2AppRequest
    }
}

extension OAuthError {
    /// The client's settings have no biometric keys.
    static var withoutBiometricKeys: Self {
        Self(.unauthorizedClient, "this client has no biometric keys", refusal: "BK-001")
    }
}
