internal import Domain
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /admin/v1/sessions?subject=&client=` and `…/{sid}` (WireContract 13.3).
package struct AdminSessionsRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/sessions", "/admin/v1/sessions/{sid}"] }
    package static var methods: [Method] { [.get] }

    private let sessions: SessionList
    private let devices: DeviceAdministration

    package init(sessions: SessionList, devices: DeviceAdministration) {
        self.sessions = sessions
        self.devices = devices
    }

    package static func role(for method: Method) -> Operator.Role { .read }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            if let sid = request.request.parameters["sid"] {
                return try await session(sid, request)
            }
            return try await list(request)
        } catch { return .admin(error) }
    }

    private func session(_ sid: [UInt8], _ request: AdminRequest)
        async throws(EnvelopeError) -> Response
    {
        guard let id = SessionID(text: sid) else {
            throw EnvelopeError(.notFound, "no such session")
        }
        // An operator's are all projects; one that is named is the one that is meant.
        var project: ProjectNumber?
        if try request.namedProject() != nil { project = try request.project().number }
        let entry: SessionList.Entry?
        var device: DeviceInfo?
        let deadline = request.deadline
        do {
            entry = try await sessions.entry(id, seenFrom: project, by: deadline)
            if let entry {
                device = try await devices.devices(of: [entry], by: deadline)[id.stream]
            }
        } catch { throw EnvelopeError(.store(error)) }
        guard let entry else { throw EnvelopeError(.notFound, "no such session") }
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("session")
            entry.write(to: &writer, device)
        }
        return .result(writer.bytes)
    }

    private func list(_ request: AdminRequest) async throws(EnvelopeError) -> Response {
        guard let text = try request.parameter("subject"), let subject = SubjectID(text: text)
        else { throw EnvelopeError(.badRequest, "subject is required, as in `sub`") }
        var client: ClientID?
        if let text = try request.parameter("client") {
            guard let id = ClientID(text) else {
                throw EnvelopeError(.badRequest, "client is no client id")
            }
            client = id
        }
        var cursor: SessionID?
        if let text = try request.parameter("cursor") {
            guard let id = SessionID(text: text) else {
                throw EnvelopeError(.badRequest, "the cursor is not valid")
            }
            cursor = id
        }
        let page: SessionList.Page
        let found: [StreamID: DeviceInfo]
        let project = try request.project()
        do {
            page = try await devices.sessions(
                of: subject,
                after: cursor,
                client: client,
                in: project,
                by: request.deadline
            )
        } catch { throw EnvelopeError(error, absent: "no such subject") }
        do {
            found = try await devices.devices(of: page.entries, by: request.deadline)
        } catch { throw EnvelopeError(.store(error)) }
        return .result(
            page.render { writer, entry in
                entry.write(to: &writer, found[entry.session.stream])
            }
        )
    }
}

extension SessionList.Entry {
    fileprivate func write(to writer: inout JSONWriter, _ info: DeviceInfo?) {
        writer.object { writer in
            writer.member("sid", session.description)
            writer.member("type", kind.rawValue)
            writer.member("status", status.rawValue)
            writer.member("sub", subject.description)
            if let project { writer.member("project", project.text) }
            writeCommon(to: &writer, info)
        }
    }
}
