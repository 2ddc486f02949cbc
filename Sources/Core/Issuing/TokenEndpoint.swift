internal import Domain
package import OAuth

/// The token endpoint: finds the grant type and lets it answer (RFC 6749 section 3.2).
///
/// A class, since every request asks it: a struct of another module is copied for that.
package final class TokenEndpoint: Sendable {
    /// `grant_types_supported` (RFC 8414 section 2).
    package let names: [String]
    /// What answers to each of `names`.
    private let grantTypes: [any GrantType]
    private let proofs: DPoPProofs
    private let signer: any TokenSigner
    /// What means something here, to some grant type or to all of them.
    private let parameters: Set<String>

    /// `grantTypes`: no two of one name; the metadata lists them in this order.
    package init(_ grantTypes: [any GrantType], proofs: DPoPProofs, signer: any TokenSigner) {
        self.proofs = proofs
        self.signer = signer
        names = grantTypes.flatMap { type(of: $0).names }
        self.grantTypes = grantTypes.flatMap { grant in type(of: grant).names.map { _ in grant } }
        parameters = grantTypes.reduce(
            ClientAuthentication.parameters.union([
                "grant_type", "device_secret", DeviceInfo.parameter,
            ])
        ) { $0.union(type(of: $1).parameters) }
    }

    /// Before anybody is authenticated (Security 3, rule 1).
    ///
    /// - Throws: `invalid_request` for a repeated parameter, whatever its grant type.
    package func refuseRepeats(in request: RequestParameters) throws(OAuthError) {
        try request.refuseRepeats(of: parameters)
    }

    /// Answers a request of an authenticated client (WireContract 5.1).
    ///
    /// - Throws: `invalid_request` without `grant_type` or with a repeated parameter,
    ///   `unsupported_grant_type`, `unauthorized_client`, and what the grant type refuses.
    package func respond(to request: RequestParameters, from caller: consuming Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let name = try request.required("grant_type")
        guard let place = names.firstIndex(where: { name.isSame(as: $0) }) else {
            throw OAuthError(.unsupportedGrantType, "this grant type is not offered")
        }
        guard caller.client.grantTypes.contains(names[place]) else {
            throw OAuthError(.unauthorizedClient, "this client may not use this grant type")
        }
        try refuseRepeats(in: request)
        let grant = grantTypes[place]
        for name in type(of: grant).required { _ = try request.required(name) }
        caller.device = try DeviceInfo(request)
        try readProof(of: &caller, for: grant, request)
        try requireKeys(for: caller)
        return try await grant.exchange(request, for: caller)
    }

    /// A nonce for the caller's next proof; nil when the project asks for none.
    package func nonce(in project: Project) -> String? { proofs.nonce(in: project) }

    /// Tokens are signed after the commit (decision 0004): who cannot sign must spend nothing.
    ///
    /// - Throws: `server_error` when this node cannot sign what the client gets.
    private func requireKeys(for caller: Caller) throws(OAuthError) {
        let project = caller.project
        let access = project.settings.signingAlgorithm
        guard signer.canSign(with: access, for: project) else {
            throw OAuthError(SigningError.noKey(access))
        }
        let identity = caller.client.idTokenAlgorithm
        guard identity == access || signer.canSign(with: identity, for: project) else {
            throw OAuthError(SigningError.noKey(identity))
        }
    }

    /// Fills in what the caller proves, or why that cannot be read.
    private func readProof(
        of caller: inout Caller,
        for grant: any GrantType,
        _ request: RequestParameters
    ) throws(OAuthError) {
        if let unread = caller.proofRequest {
            caller.showsOwnKey = type(of: grant).showsOwnKey(request)
            do {
                caller.proof = try proofs.read(
                    unread,
                    by: caller.showsOwnKey ? DPoPProofs.Rules(of: caller.client) : nil,
                    in: caller.project
                )
            } catch {
                // What the request brings shows whose it is: that client's settings decide.
                guard !caller.showsOwnKey else { throw error }
                caller.unreadableProof = error
            }
        }
        let isRequired = caller.client.dpop == .bound && type(of: grant).mintsAccessTokens
        guard caller.proof != nil || !isRequired else {
            throw .missingProof()
        }
    }
}
