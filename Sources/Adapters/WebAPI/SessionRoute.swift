internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET` and `DELETE /api/v1/sessions/{sid}`: one of the user's own (wire.md section 9.5).
package struct SessionRoute: Route {
    package static var paths: [String] { ["/api/v1/sessions/{sid}"] }
    package static var methods: [Method] { [.get, .delete] }
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
            guard let id = SessionID(text: request.parameters["sid"] ?? []) else {
                throw EnvelopeError(.notFound, "not found")
            }
            return request.method == .delete
                ? try await end(id, caller, request, project)
                : try await show(id, caller, request, project)
        } catch { return .envelope(error) }
    }

    private func show(
        _ id: SessionID,
        _ caller: UserAccess.Caller,
        _ request: Request,
        _ project: Project
    ) async throws(EnvelopeError) -> Response {
        let entry: SessionList.Entry?
        var device: DeviceInfo?
        do {
            entry = try await sessions.entry(
                id,
                of: caller.subject,
                in: project,
                by: request.deadline
            )
            if let entry {
                device = try await sessions.devices(of: [entry], by: request.deadline)[id.stream]
            }
        } catch { throw EnvelopeError(OAuthError(error)) }
        guard let entry else { throw EnvelopeError(.notFound, "not found") }
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.name("session")
            entry.write(to: &writer, for: caller.session, device)
        }
        return .result(writer.bytes)
    }

    private func end(
        _ id: SessionID,
        _ caller: UserAccess.Caller,
        _ request: Request,
        _ project: Project
    ) async throws(EnvelopeError) -> Response {
        let isEnded: Bool
        do {
            isEnded = try await sessions.end(
                id,
                of: caller.subject,
                request: caller.command(by: request, in: project)
            )
        } catch { throw EnvelopeError(OAuthError(error)) }
        guard isEnded else { throw EnvelopeError(.notFound, "not found") }
        return .result(Array("{}".utf8))
    }
}
