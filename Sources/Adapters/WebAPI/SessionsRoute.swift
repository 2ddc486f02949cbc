internal import Domain
internal import HTTPServer
package import Issuing
package import OAuth

/// `GET /api/v1/sessions`: where this user is logged in (WireContract 9.5).
package struct SessionsRoute: UserRoute {
    package static var paths: [String] { ["/api/v1/sessions"] }
    package static var methods: [Method] { [.get] }

    package let gate: UserGate
    private let sessions: UserSessions

    package init(gate: UserGate, sessions: UserSessions) {
        self.gate = gate
        self.sessions = sessions
    }

    package func answer(_ request: UserRequest) async throws(EnvelopeError) -> [UInt8] {
        let cursor = try Self.cursor(of: request.request)
        let page: SessionList.Page
        let devices: [StreamID: DeviceInfo]
        do {
            page = try await sessions.page(
                of: request.caller.subject,
                after: cursor,
                in: request.project,
                by: request.deadline
            )
            devices = try await sessions.devices(of: page.entries, by: request.deadline)
        } catch { throw EnvelopeError(OAuthError(error)) }
        return page.render { writer, entry in
            let device = devices[entry.session.stream]
            entry.write(to: &writer, for: request.caller.session, device)
        }
    }

    /// The session behind which to begin: `next` of the page before.
    private static func cursor(of request: Request) throws(EnvelopeError) -> SessionID? {
        let text: [UInt8]?
        do throws(OAuthError) {
            text = try request.queryParameters().optional("cursor")
        } catch { throw EnvelopeError(error) }
        guard let text else { return nil }
        guard let id = SessionID(text: text) else {
            throw EnvelopeError(.badRequest, "the cursor is not valid")
        }
        return id
    }
}

extension SessionList.Entry {
    /// As its user sees it, asking through `current`.
    func write(to writer: inout JSONWriter, for current: SessionID, _ info: DeviceInfo?) {
        writer.object { writer in
            writer.member("sid", session.description)
            writer.member("type", kind.rawValue)
            writeCommon(to: &writer, info)
            writer.member("is_current", session == current)
        }
    }
}
