internal import Domain
package import OAuth

/// A fresh id token for the holder of an access token (WireContract 5.8); nothing is recorded.
package struct IDTokenGrant: GrantType {
    package static var names: [String] { ["urn:authgear:params:oauth:grant-type:id-token"] }
    package static let parameters: Set<String> = ["device_secret"]
    package static var mintsAccessTokens: Bool { false }

    private let commands: CommandRunner
    private let signer: any TokenSigner
    private let access: AccessProofs
    private let secrets: DeviceSecrets

    package init(
        commands: CommandRunner,
        signer: any TokenSigner,
        digester: any Digester,
        access: AccessProofs
    ) {
        self.commands = commands
        self.signer = signer
        self.access = access
        secrets = DeviceSecrets(digester: digester, entropy: commands.entropy)
    }

    package func exchange(_ request: RequestParameters, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        guard let presented = caller.accessToken else { throw .noToken }
        // A bound token's proof is used up with it, as at userinfo. Nothing is minted that another
        // would be bound to, and an append for it would be all that is recorded (decision 0189).
        var caller = caller
        caller.proof = nil
        let claims = try await access.claims(
            of: presented,
            in: caller.project,
            by: caller.deadline
        )
        guard claims.client == caller.client.id, let session = claims.session else {
            throw presented.challenging(.invalidToken)
        }
        // As at userinfo: what it says of the user is for who may ask the issuer.
        guard claims.audience.contains(caller.project.issuer) else {
            throw presented.challenging(.invalidToken)
        }
        let secret = try request.optional("device_secret").flatMap(secrets.read)
        let answer: (identity: IDTokenClaims, secret: [UInt8]?)
        do {
            answer = try await commands.run(caller.request, on: session.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await attempt(claims, session, secret, caller, in: &work)
            }
        } catch { throw presented.challenging(OAuthError(error)) }
        do {
            let text = try signer.sign(
                answer.identity,
                beside: nil,
                with: caller.client.idTokenAlgorithm,
                for: caller.project
            )
            return TokenResponse(idToken: text, deviceSecret: answer.secret)
        } catch { throw OAuthError(error) }
    }

    private func attempt(
        _ claims: AccessTokenClaims,
        _ id: SessionID,
        _ secret: OpaqueToken?,
        _ caller: Caller,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> (identity: IDTokenClaims, secret: [UInt8]?) {
        let client = try await work.admit(caller).value
        try work.requireKey(claims.key, refused: .invalidToken)
        let session = try await work.liveSession(
            id,
            by: claims,
            of: client.id,
            stranger: .invalidToken
        )
        guard claims.scope.contains("openid") else { throw .refused(.insufficientScope("openid")) }
        let isOnDevice = claims.scope.contains("device_sso") && session.isOnDevice(client.id)
        let current = isOnDevice ? session.deviceSecret : nil
        let presented = secret.flatMap { $0.stream == id.stream ? $0 : nil }
        let standing = presented.flatMap { current?.standing(of: $0.digest, at: work.now) }
        // Whose answer with the next secret was lost holds the one before: its exchange compares
        // that one with this hash (WireContract 5.6, step 5).
        let shown =
            standing == .previous
            ? presented?.digest : current.flatMap { $0.isRevoked ? nil : $0.digest }
        let lifetime = work.project.settings.idTokenLifetimeSeconds
        let identity = IDTokenClaims(
            subject: session.opening.subject,
            audience: client.id,
            issuedAt: work.now,
            expiresAt: work.now.adding(seconds: lifetime),
            authentication: session.authentication,
            session: id,
            deviceSecretHash: shown.map { secrets.hash(of: $0) }
        )
        return (identity, standing == .current ? presented?.text : nil)
    }
}
