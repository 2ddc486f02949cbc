internal import Domain
package import Issuing
package import OAuth

/// A request of an operator who proved it and may make it.
package struct AdminRequest: Sendable {
    package let request: Request
    let by: Operator
    private let projects: any ProjectDirectory

    var deadline: Deadline { request.deadline }

    init(_ request: Request, by holder: Operator, projects: any ProjectDirectory) {
        self.request = request
        by = holder
        self.projects = projects
    }

    /// The project of `?project=`, which may be left out when there is one.
    ///
    /// - Throws: `NotFound`; `BadRequest` when it is left out and there are several; `Conflict` for
    ///   one that this process cannot serve; `ServiceUnavailable` before the log, or all of the
    ///   project, was read.
    package func project() throws(EnvelopeError) -> Project {
        if let id = try namedProject() {
            let number = projects.number(of: id)
            if let project = projects.project(id: id), project.number == number { return project }
            guard !projects.unservedIDs.contains(id) else {
                throw EnvelopeError(.conflict, "this program cannot read the project's document")
            }
            // Seen, and on its way: its keys are read after its document.
            guard number == nil else { throw Self.notReadYet }
            try requireRead()
            throw EnvelopeError(.notFound, "no such project")
        }
        try requireRead()
        let all = projects.all
        guard let only = all.first else { throw EnvelopeError(.notFound, "no project is served") }
        guard all.count == 1, projects.isComplete else {
            throw EnvelopeError(
                .badRequest,
                "project is required when there are several: /admin/v1/projects lists them",
                refusal: "AD-002"
            )
        }
        return only
    }

    /// Whoever hears that there is no such project takes it for final.
    func requireRead() throws(EnvelopeError) {
        guard projects.isRead else { throw Self.notReadYet }
    }

    private static let notReadYet = EnvelopeError(
        .serviceUnavailable,
        "the projects are not read yet: try again"
    )

    /// As `project`, but also one that this process knows and cannot serve.
    func knownProject() throws(EnvelopeError) -> ProjectID {
        if let id = try namedProject(), projects.number(of: id) != nil { return id }
        return try project().settings.id
    }

    /// What `?project=` says; nil when it is left out.
    ///
    /// - Throws: `NotFound` for what names no project.
    func namedProject() throws(EnvelopeError) -> ProjectID? {
        guard let text = try parameter("project") else { return nil }
        guard let id = ProjectID(text) else { throw EnvelopeError(.notFound, "no such project") }
        return id
    }

    /// Whom the path names.
    ///
    /// - Throws: `NotFound` for what is no `sub`.
    func subject() throws(EnvelopeError) -> SubjectID {
        guard let subject = SubjectID(text: request.parameters["sub"] ?? []) else {
            throw EnvelopeError(.notFound, "no such subject")
        }
        return subject
    }

    /// A parameter of the query; nil when absent or empty.
    ///
    /// - Throws: `BadRequest` for a malformed query or a repeat.
    package func parameter(_ name: String) throws(EnvelopeError) -> [UInt8]? {
        do throws(OAuthError) { return try request.queryParameters().optional(name) } catch {
            throw EnvelopeError(.badRequest, "request query is invalid", cause: error.cause)
        }
    }

    /// The JSON object of the body, which has no members but `names`.
    ///
    /// - Throws: `BadRequest`; `ValidationFailed` for an unknown member or another type.
    package func object(_ names: [String]) throws(EnvelopeError) -> JSON {
        let body = try request.json()
        guard let members = body.members else {
            throw .invalid([.general("", "must be an object")])
        }
        let unknown = members.filter { member in !names.contains(member.name) }
        guard unknown.isEmpty else {
            throw .invalid(unknown.map { .general("/\($0.name)", "unknown member") })
        }
        return body
    }

    /// What the operator orders in `project`, as the body says: an object with a `reason`, and with
    /// no other members but `names`.
    ///
    /// - Throws: as `project`, then as `object`; `ValidationFailed` for what is no reason.
    func order(_ names: [String] = []) throws(EnvelopeError) -> (order: Order, body: JSON) {
        let project = try project()
        let body = try object(names + ["reason"])
        let reason = try Self.reason(Self.text("reason", of: body), at: "/reason")
        return (Order(in: project, by: by, reason: reason, deadline: deadline), body)
    }

    /// The text of a member that `body` may lack; nil when it does.
    ///
    /// - Throws: `ValidationFailed` for another type: what is not understood is no default.
    static func optionalText(_ name: String, of body: JSON) throws(EnvelopeError) -> String? {
        guard let member = body[name] else { return nil }
        guard let text = member.string else {
            throw .invalid([.general("/\(name)", "must be a string")])
        }
        return text
    }

    /// The text of a member that `body` must have.
    ///
    /// - Throws: `ValidationFailed`.
    static func text(_ name: String, of body: JSON) throws(EnvelopeError) -> String {
        guard let text = try optionalText(name, of: body) else {
            let actual = body.members?.map(\.name) ?? []
            throw .invalid([.required("", actual: actual, expected: [name])])
        }
        return text
    }

    /// Why the operator does it, as `?reason=` says.
    ///
    /// - Throws: `BadRequest`, `ValidationFailed`.
    func reason() throws(EnvelopeError) -> String {
        guard let text = try parameter("reason") else {
            throw .invalid([.required("", actual: [], expected: ["reason"])])
        }
        return try Self.reason(String(decoding: text, as: UTF8.self), at: "reason")
    }

    private static func reason(_ text: String, at location: String) throws(EnvelopeError)
        -> String
    {
        guard Order.isReason(text) else {
            throw .invalid([.general(location, "must be 1 to 200 bytes of text")])
        }
        return text
    }
}
