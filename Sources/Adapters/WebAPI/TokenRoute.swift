internal import HTTPServer
package import Issuing
internal import OAuth
package import Runtime

/// `POST /oauth2/token` (RFC 6749 section 3.2, wire.md section 5).
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

    private func answer(_ request: Request, in project: Project) async -> Response {
        await failures.guarding(request, in: project) { error, posted in
            errors.count(error, grantType: posted?.form.form.single("grant_type"))
        } _: { (client: ClientRequest) async throws(OAuthError) in
            try endpoint.refuseRepeats(in: client.form)
            let session = RefreshedSession(client.form)
            try session.admit(limits)
            let caller = try client.caller(of: request, by: clients, in: project)
            let response = try await endpoint.respond(to: client.form, from: caller)
            session.record(limits)
            return .json(response.render())
        }
    }
}

/// The session a refresh names, for L2: it is counted only when the refresh succeeded, or else who
/// merely knows a `sid` could keep its user out.
private struct RefreshedSession {
    private static let prefixCount = 3
    private static let identifierCharacters = 24

    private let key: [UInt8]?

    init(_ form: TokenRequest) {
        guard let grant = form.form.single("grant_type"),
            grant.isSame(as: "refresh_token"),
            let token = form.form.single("refresh_token")
        else {
            key = nil
            return
        }
        // 24 characters are 18 bytes: session id and family (wire.md section 8.2).
        let text = token.dropFirst(Self.prefixCount).prefix(Self.identifierCharacters)
        key = Base64URL.decode(text)
    }

    func admit(_ limits: RequestLimits) throws(OAuthError) {
        guard let key, let seconds = limits.check(.refresh, key) else { return }
        throw PipelineRefusal.rateLimited(retryAfterSeconds: seconds).oauth
    }

    func record(_ limits: RequestLimits) {
        if let key { limits.charge(.refresh, key) }
    }
}
