internal import HTTPServer
package import Issuing
internal import OAuth

/// `POST /api/v1/sessions/revoke_others`: this user is logged in nowhere else (wire.md 9.5).
package struct RevokeOthersRoute: Route {
    package static var paths: [String] { ["/api/v1/sessions/revoke_others"] }
    package static var methods: [Method] { [.post] }
    package static var errorForm: ErrorForm { .envelope }
    package static var crossOrigin: CrossOrigin { .clients }
    package static var slots: Slots { .ending }

    private let access: UserAccess
    private let sessions: UserSessions

    package init(access: UserAccess, sessions: UserSessions) {
        self.access = access
        self.sessions = sessions
    }

    package func respond(to request: Request, in project: Project) async -> Response {
        await answer(request, in: project).renewing(access.nonce(in: project))
    }

    private func answer(_ request: Request, in project: Project) async -> Response {
        do throws(EnvelopeError) {
            let caller = try await access.caller(of: request, in: project)
            let count: Int
            do {
                count = try await sessions.endAll(
                    of: caller.subject,
                    but: caller.session,
                    request: caller.command(by: request, in: project)
                )
            } catch { throw EnvelopeError(OAuthError(error)) }
            var writer = JSONWriter()
            writer.object { $0.member("revoked", Int64(count)) }
            return .result(writer.bytes)
        } catch { return .envelope(error) }
    }
}
