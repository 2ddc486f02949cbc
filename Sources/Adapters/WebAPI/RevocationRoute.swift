internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /oauth2/revoke`: ends what a token stands for (RFC 7009 section 2, WireContract 9.3).
package struct RevocationRoute: Route {
    package static var paths: [String] { ["/oauth2/revoke"] }
    package static var methods: [Method] { [.post] }
    package static var crossOrigin: CrossOrigin { .clients }
    package static var outlivesSuspension: Bool { true }

    private let clients: ClientAuthentication
    private let revocation: Revocation
    private let failures: FailureLimits

    package init(
        clients: ClientAuthentication,
        revocation: Revocation,
        limits: RequestLimits
    ) {
        self.clients = clients
        self.revocation = revocation
        failures = FailureLimits(limits)
    }

    package static func slots(_ method: Method) -> Slots { .ending }

    package func respond(to request: Request, in project: Project) async -> Response {
        await failures.guarding(request, by: clients, in: project) {
            (client: ClientRequest) async throws(OAuthError) in
            try client.form.refuseRepeats(of: ["token", "token_type_hint"])
            let asker = try asker(client, request, project)
            let outcome = try await revocation.revoke(
                Revocation.Request(
                    token: try token(of: client.form),
                    asker: asker,
                    project: project,
                    deadline: request.deadline,
                    correlation: request.correlation
                )
            )
            // Nothing to end is `200`, but it was the database that said so (decision 0152).
            if case .askedInVain = outcome { failures.recordSilent(request) }
            var done = Response.empty(.ok)
            done.add("Pragma", "no-cache")
            return done
        }
    }

    /// Sent but empty is no token anybody holds; not sent is a mistake.
    private func token(of form: RequestParameters) throws(OAuthError) -> [UInt8] {
        guard form.mentions("token") else { return try form.required("token") }
        return try form.optional("token") ?? []
    }

    private func asker(_ posted: ClientRequest, _ request: Request, _ project: Project)
        throws(OAuthError) -> Revocation.Asker
    {
        guard try posted.namesClient(request) else { return .holder }
        let caller = try posted.caller(
            of: request,
            by: clients,
            in: project,
            isAudience: false,
            evenSuspended: true
        )
        return .client(caller.client, assertion: caller.assertion)
    }
}
