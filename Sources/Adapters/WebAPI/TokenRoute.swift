internal import HTTPServer
package import Issuing
package import OAuth
package import Runtime

/// `POST /oauth2/token` (RFC 6749 section 3.2, WireContract 5).
package struct TokenRoute: Route {
    package static var paths: [String] { ["/oauth2/token"] }
    package static var methods: [Method] { [.post] }
    package static var crossOrigin: CrossOrigin { .clients }

    private let clients: ClientAuthentication
    private let endpoint: TokenEndpoint
    private let failures: FailureLimits
    private let limits: RequestLimits
    private let errors: TokenErrorCounts

    package init(
        clients: ClientAuthentication,
        endpoint: TokenEndpoint,
        limits: RequestLimits,
        metrics: Metrics
    ) {
        self.clients = clients
        self.endpoint = endpoint
        self.limits = limits
        failures = FailureLimits(limits)
        errors = TokenErrorCounts(metrics: metrics, grantTypes: endpoint.names)
    }

    package func respond(to request: Request, in project: Project) async -> Response {
        await answer(request, in: project).renewing(endpoint.nonce(in: project))
    }

    package func passedOver(_ request: Request, _ error: OAuthError) {
        let form = try? request.form().form
        errors.count(error, grantType: form?.single("grant_type"))
    }

    private func answer(_ request: Request, in project: Project) async -> Response {
        await failures.guarding(request, by: clients, in: project) { error, posted in
            errors.count(error, grantType: posted?.form.form.single("grant_type"))
        } _: { (client: ClientRequest) async throws(OAuthError) in
            try endpoint.refuseRepeats(in: client.form)
            let session = NamedSession(client.form)
            try session.admit(limits)
            // Without a name here: a caller that has one is copied for who uses it up.
            let response = try await endpoint.respond(
                to: client.form,
                from: client.caller(of: request, by: clients, in: project)
            )
            session.record(limits)
            return .json(response.render())
        }
    }
}

/// The session that a refresh, an exchange or an approval names, for L2 (decision 0155): it is
/// counted only when the request succeeded, or else who merely knows a `sid` could keep its user
/// out.
private struct NamedSession {
    private static let tokens =
        [
            (grant: "refresh_token", parameter: "refresh_token"),
            (grant: "urn:ietf:params:oauth:grant-type:token-exchange", parameter: "actor_token"),
        ] + App2AppGrant.names.map { (grant: $0, parameter: "refresh_token") }
    private static let prefixCount = 3
    private static let identifierCharacters = 24

    private let key: [UInt8]?

    init(_ form: RequestParameters) {
        guard let grant = form.form.single("grant_type"),
            let name = Self.tokens.first(where: { grant.isSame(as: $0.grant) })?.parameter,
            let token = form.form.single(name)
        else {
            key = nil
            return
        }
        // 24 characters are 18 bytes (WireContract 8.2): the session's id, and of a refresh
        // token its family.
        let text = token.dropFirst(Self.prefixCount).prefix(Self.identifierCharacters)
        let isRefresh = name == "refresh_token"
        key = Base64URL.decode(text).map { isRefresh ? $0 : Array($0.prefix(16)) }
    }

    func admit(_ limits: RequestLimits) throws(OAuthError) {
        if let key { try PipelineRefusal.refuseOAuth(limits.check(.refresh, key)) }
    }

    func record(_ limits: RequestLimits) {
        if let key { limits.charge(.refresh, key) }
    }
}
