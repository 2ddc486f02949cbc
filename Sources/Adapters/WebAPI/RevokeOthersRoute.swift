internal import HTTPServer
package import Issuing
package import OAuth

/// `POST /api/v1/sessions/revoke_others`: this user is logged in nowhere else (WireContract 9.5).
package struct RevokeOthersRoute: UserRoute {
    package static var paths: [String] { ["/api/v1/sessions/revoke_others"] }
    package static var methods: [Method] { [.post] }

    package let gate: UserGate
    private let sessions: UserSessions

    package init(gate: UserGate, sessions: UserSessions) {
        self.gate = gate
        self.sessions = sessions
    }

    package static func slots(_ method: Method) -> Slots { .ending }

    package func answer(_ request: UserRequest) async throws(EnvelopeError) -> [UInt8] {
        let count: Int
        do {
            count = try await sessions.endAll(
                of: request.caller.subject,
                but: [request.caller.session],
                request: request.command
            )
        } catch { throw EnvelopeError(OAuthError(error)) }
        var writer = JSONWriter()
        writer.object { $0.member("revoked", Int64(count)) }
        return writer.bytes
    }
}
