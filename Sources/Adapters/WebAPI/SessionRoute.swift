internal import Domain
internal import HTTPServer
package import Issuing
package import OAuth

/// `GET` and `DELETE /api/v1/sessions/{sid}`: one of the user's own (WireContract 9.5).
package struct SessionRoute: UserRoute {
    package static var paths: [String] { ["/api/v1/sessions/{sid}"] }
    package static var methods: [Method] { [.get, .delete] }

    package let gate: UserGate
    private let sessions: UserSessions

    package init(gate: UserGate, sessions: UserSessions) {
        self.gate = gate
        self.sessions = sessions
    }

    package static func slots(_ method: Method) -> Slots {
        // What a browser asks before a DELETE goes with it.
        method == .get || method == .head ? .usual : .ending
    }

    package func answer(_ request: UserRequest) async throws(EnvelopeError) -> [UInt8] {
        guard let id = SessionID(text: request.request.parameters["sid"] ?? []) else {
            throw EnvelopeError(.notFound, "not found")
        }
        return request.request.method == .delete
            ? try await end(id, request) : try await show(id, request)
    }

    private func show(_ id: SessionID, _ request: UserRequest)
        async throws(EnvelopeError) -> [UInt8]
    {
        let entry: SessionList.Entry?
        var device: DeviceInfo?
        let deadline = request.deadline
        do {
            entry = try await sessions.entry(
                id,
                of: request.caller.subject,
                in: request.project,
                by: deadline
            )
            if let entry {
                device = try await sessions.devices(of: [entry], by: deadline)[id.stream]
            }
        } catch { throw EnvelopeError(OAuthError(error)) }
        guard let entry else { throw EnvelopeError(.notFound, "not found") }
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.name("session")
            entry.write(to: &writer, for: request.caller.session, device)
        }
        return writer.bytes
    }

    private func end(_ id: SessionID, _ request: UserRequest)
        async throws(EnvelopeError) -> [UInt8]
    {
        let isEnded: Bool
        do {
            isEnded = try await sessions.end(
                id,
                of: request.caller.subject,
                request: request.command
            )
        } catch { throw EnvelopeError(OAuthError(error)) }
        guard isEnded else { throw EnvelopeError(.notFound, "not found") }
        return Array("{}".utf8)
    }
}
