internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /oauth2/par`: an authorization request that comes ahead of its browser (RFC 9126 section
/// 2, WireContract 4.6).
package struct PushedRequestRoute: Route {
    package static var paths: [String] { ["/oauth2/par"] }
    package static var methods: [Method] { [.post] }
    package static func slots(_ method: Method) -> Slots { .starting }

    private let services: SignInServices
    private let clients: ClientAuthentication
    private let proofs: DPoPProofs
    private let failures: FailureLimits

    package init(
        _ services: SignInServices,
        clients: ClientAuthentication,
        proofs: DPoPProofs
    ) {
        self.services = services
        self.clients = clients
        self.proofs = proofs
        failures = FailureLimits(services.limits)
    }

    package func respond(to request: Request, in project: Project) async -> Response {
        await answer(request, in: project).renewing(proofs.nonce(in: project))
    }

    private func answer(_ request: Request, in project: Project) async -> Response {
        await failures.guarding(request, by: clients, in: project) {
            (client: ClientRequest) async throws(OAuthError) in
            try client.form.refuseRepeats(
                of: AuthorizationRequestReader.parameters.union(ClientAuthentication.parameters)
            )
            try count(request)
            var caller = try client.caller(of: request, by: clients, in: project)
            try count(request, client.form.form, of: caller.client, in: project)
            if let sent = caller.proofRequest {
                let rules = DPoPProofs.Rules(of: caller.client)
                caller.proof = try proofs.read(sent, by: rules, in: project)
            }
            let pushed = try await services.pushes.push(client.form, from: caller)
            var writer = JSONWriter(reserving: 160)
            writer.object { writer in
                writer.member("request_uri", verbatim: pushed.reference)
                writer.member("expires_in", pushed.expiresInSeconds)
            }
            return .json(writer.bytes, status: .created)
        }
    }

    /// L4, per address.
    private func count(_ request: Request) throws(OAuthError) {
        try PipelineRefusal.refuseOAuth(services.limits.take(.page, from: request.client))
    }

    /// L4, per client; only of one that has proven itself, or, where it cannot, is answered to an
    /// address of its own: a stranger who names it would spend what is the client's.
    private func count(
        _ request: Request,
        _ form: Form,
        of client: ClientSettings,
        in project: Project
    ) throws(OAuthError) {
        guard
            client.authenticationMethod != .none
                || AuthorizationRequestReader.isAnswered(form, to: client, in: project)
        else { return }
        let key = RequestLimits.key(client.id.text.utf8, of: project.number)
        let limits = services.limits
        try PipelineRefusal.refuseOAuth(limits.take(.pagePerClient, request.client.marked(key)))
    }
}
