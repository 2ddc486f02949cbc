internal import EventFormat
internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /oauth2/app_session_token`: a token by which an app opens a page of ours
/// (WireContract 9.6).
package struct AppSessionTokenRoute: Route {
    package static var paths: [String] { ["/oauth2/app_session_token"] }
    package static var methods: [Method] { [.post] }
    package static var errorForm: ErrorForm { .envelope }
    package static var crossOrigin: CrossOrigin { .clients }

    private let tokens: IssueAppSessionToken
    private let limits: RequestLimits

    package init(tokens: IssueAppSessionToken, limits: RequestLimits) {
        self.tokens = tokens
        self.limits = limits
    }

    package func respond(to request: Request, in project: Project) async -> Response {
        await answer(request, in: project).renewing(tokens.nonce(in: project))
    }

    private func answer(_ request: Request, in project: Project) async -> Response {
        do throws(EnvelopeError) {
            // A 429 is not counted below: asking while one waits makes the wait no longer.
            try PipelineRefusal.refuseEnvelope(
                limits.check(.failedRequest, request.client.limitKey)
            )
            let token = try await tokens.issue(
                IssueAppSessionToken.Request(
                    refreshToken: try Self.refreshToken(of: request),
                    proof: request.proof(in: project),
                    project: project,
                    deadline: request.deadline,
                    correlation: request.correlation
                )
            )
            var writer = JSONWriter(reserving: 192)
            writer.object { writer in
                writer.member("app_session_token", verbatim: token.text)
                writer.member("expire_at", verbatim: RFC3339.milliseconds(token.expiresAt))
            }
            return .result(writer.bytes)
        } catch {
            // To learn the nonce is no failure, as in `FailureLimits.record`, nor is a suspension.
            if error.nonce == nil, !error.isOfSuspendedProject,
                error.status == 400 || error.status == 403
            {
                limits.charge(.failedRequest, request.client.limitKey)
            }
            return .envelope(error)
        }
    }

    private static func refreshToken(of request: Request) throws(EnvelopeError) -> [UInt8] {
        guard request.query.isEmpty else {
            throw EnvelopeError(.badRequest, "parameters in the query are not accepted")
        }
        let body = try request.json()
        guard let members = body.members else {
            throw .invalid([.general("", "must be an object")])
        }
        for member in members where !member.name.isSame(as: "refresh_token") {
            throw .invalid([.general("", "unknown member")])
        }
        guard let member = body["refresh_token"] else {
            throw .invalid([.required("", actual: [], expected: ["refresh_token"])])
        }
        guard let text = member.string else {
            throw .invalid([.general("/refresh_token", "must be a string")])
        }
        return Array(text.utf8)
    }
}
