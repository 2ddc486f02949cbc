package import Domain
package import OAuth

/// Finds out which client is calling, and makes it prove it (WireContract 5.1).
///
/// A class, as `TokenEndpoint`.
package final class ClientAuthentication: Sendable {
    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let assertionBytesMax = 8 * 1024
    /// The parameters that carry credentials.
    package static let parameters: Set<String> = [
        "client_id", "client_secret", "client_assertion", "client_assertion_type",
    ]

    private let digester: any Digester
    private let assertions: any ClientAssertionVerifier
    private let clock: any WallClock

    package init(
        digester: any Digester,
        assertions: any ClientAssertionVerifier,
        clock: any WallClock
    ) {
        self.digester = digester
        self.assertions = assertions
        self.clock = clock
    }

    /// What a request brought, before anything of it is believed.
    private enum Credentials {
        case none(ClientID)
        case basic(ClientID, secret: [UInt8])
        case post(ClientID, secret: [UInt8])
        case assertion([UInt8])
    }

    /// The client, when it proved itself by the one method it is registered with.
    ///
    /// `authorization` is the header's value, if any; `endpoint` the URL of this endpoint, which an
    /// assertion may name as its audience beside the issuer and the token endpoint;
    /// `evenSuspended`: it gets nothing by this, so its project may be suspended.
    ///
    /// - Throws: `invalid_client` for a missing, unknown, disabled or unproven client and for
    ///   another method than the registered one; `invalid_request` for two methods at once;
    ///   `temporarily_unavailable` for one that this node may only lack; `unauthorized_client` in a
    ///   suspended project.
    package func authenticate(
        _ request: RequestParameters,
        authorization: [UInt8]?,
        endpoint: @autoclosure () -> String,
        in project: Project,
        evenSuspended: Bool = false
    ) throws(OAuthError) -> (client: Shared<ClientSettings>, assertion: VerifiedAssertion?) {
        let isServed = evenSuspended || !project.isSuspended
        switch try credentials(of: request, authorization) {
        case .none(let id):
            return (try client(id, by: .none, in: project, isServed), nil)
        case .basic(let id, let secret):
            let client = try client(id, by: .clientSecretBasic, in: project, isServed)
            guard isSecret(secret, of: client.value) else { throw .invalidClient }
            return (client, nil)
        case .post(let id, let secret):
            let client = try client(id, by: .clientSecretPost, in: project, isServed)
            guard isSecret(secret, of: client.value) else { throw .invalidClient }
            return (client, nil)
        case .assertion(let text):
            return try verify(text, named: request, endpoint: endpoint(), in: project, isServed)
        }
    }

    /// The client that an assertion names, unproven, as limits and the log may know it: nil where
    /// none came, and for what is no assertion.
    package func claimedClient(ofAssertionIn form: Form) -> [UInt8]? {
        guard let assertion = form.single("client_assertion"),
            assertion.count <= Self.assertionBytesMax
        else { return nil }
        return assertions.claimedSubject(of: assertion).map { Array($0.text.utf8) }
    }

    private func credentials(of request: RequestParameters, _ authorization: [UInt8]?)
        throws(OAuthError) -> Credentials
    {
        let named = try request.optional("client_id")
        let secret = try request.optional("client_secret")
        let assertion = try request.optional("client_assertion")
        guard [authorization != nil, secret != nil, assertion != nil].filter({ $0 }).count <= 1
        else { throw OAuthError(.invalidRequest, "more than one client authentication method") }
        if let authorization { return try basic(authorization, named) }
        if let assertion {
            let type = try request.required("client_assertion_type")
            guard type.elementsEqual(Self.assertionType.utf8) else {
                throw OAuthError(.invalidRequest, "unknown client_assertion_type")
            }
            guard assertion.count <= Self.assertionBytesMax else {
                throw OAuthError(.invalidRequest, "client_assertion is too long")
            }
            return .assertion(assertion)
        }
        guard let named, let id = ClientID(named) else { throw .invalidClient }
        if let secret { return .post(id, secret: secret) }
        return .none(id)
    }

    private func basic(_ header: [UInt8], _ named: [UInt8]?) throws(OAuthError) -> Credentials {
        guard let basic = BasicCredentials(headerValue: header), let id = ClientID(basic.client)
        else { throw .invalidClient }
        guard named == nil || named == basic.client else {
            throw OAuthError(.invalidRequest, "client_id differs from the authenticated client")
        }
        return basic.secret.isEmpty ? .none(id) : .basic(id, secret: basic.secret)
    }

    private func client(
        _ id: ClientID,
        by method: ClientSettings.AuthenticationMethod,
        in project: Project,
        _ isServed: Bool
    ) throws(OAuthError) -> Shared<ClientSettings> {
        guard isServed else { throw .suspendedProject }
        guard let client = project.servedClient(id) else {
            throw project.mayLack(id) ? OAuthError(StoreError.unavailable) : .invalidClient
        }
        guard client.value.authenticationMethod == method else { throw .invalidClient }
        return client
    }

    private func isSecret(_ secret: [UInt8], of client: ClientSettings) -> Bool {
        let digest = digester.sha256(secret)
        // Every digest is compared, so the time does not tell which one fitted.
        return client.secretDigests.reduce(false) { $1 == digest || $0 }
    }

    private func verify(
        _ text: [UInt8],
        named request: RequestParameters,
        endpoint: String,
        in project: Project,
        _ isServed: Bool
    ) throws(OAuthError) -> (client: Shared<ClientSettings>, assertion: VerifiedAssertion?) {
        guard let id = assertions.claimedSubject(of: text) else { throw .invalidClient }
        if let named = try request.optional("client_id"), ClientID(named) != id {
            throw OAuthError(.invalidRequest, "client_id differs from the authenticated client")
        }
        let client = try client(id, by: .privateKeyJWT, in: project, isServed)
        let audiences: Set =
            client.value.isFAPI
            ? [project.issuer] : [project.issuer, project.issuer + "/oauth2/token", endpoint]
        guard
            let verified = assertions.verify(
                text,
                of: client.value,
                audiences: audiences,
                at: clock.now
            )
        else { throw .invalidClient }
        return (client, verified)
    }
}
