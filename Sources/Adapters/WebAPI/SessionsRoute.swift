internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /api/v1/sessions`: where this user is logged in (wire.md section 9.5).
package struct SessionsRoute: Route {
    package static var paths: [String] { ["/api/v1/sessions"] }
    package static var methods: [Method] { [.get] }
    package static var errorForm: ErrorForm { .envelope }
    package static var crossOrigin: CrossOrigin { .clients }

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
            let cursor = try Self.cursor(of: request)
            let page: (entries: [SessionList.Entry], hasMore: Bool)
            let devices: [StreamID: DeviceInfo]
            do {
                page = try await sessions.page(
                    of: caller.subject,
                    after: cursor,
                    in: project,
                    by: request.deadline
                )
                devices = try await sessions.devices(of: page.entries, by: request.deadline)
            } catch { throw EnvelopeError(OAuthError(error)) }
            var writer = JSONWriter(reserving: 4096)
            writer.object { writer in
                writer.name("sessions")
                writer.array { writer in
                    for entry in page.entries {
                        entry.write(to: &writer, for: caller.session, devices[entry.session.stream])
                    }
                }
                let last = page.hasMore ? page.entries.last?.session.description : nil
                writer.member("next", last.map(JSON.string) ?? .null)
            }
            return .result(writer.bytes)
        } catch { return .envelope(error) }
    }

    /// The last session of the page before.
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
            writer.member("client_ids", clients.map(\.text))
            writer.member("created_at", CivilText.milliseconds(createdAt))
            writer.member("auth_time", CivilText.milliseconds(authentication.at))
            writer.member("last_used_at", CivilText.milliseconds(lastUsedAt))
            writer.member("expires_at", CivilText.milliseconds(expiresAt))
            writer.member("amr", authentication.methods.map(\.rawValue))
            if let device = info?.device { writer.member("device", device) }
            if let application = info?.application { writer.member("application", application) }
            writer.name("parent")
            writer.object { writer in
                writer.member("kind", parent.kind.rawValue)
                writer.member("id", parent.stream.description)
            }
            writer.member("is_current", session == current)
        }
    }
}
