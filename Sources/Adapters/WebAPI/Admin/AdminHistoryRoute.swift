internal import Domain
internal import EventFormat
internal import HTTPServer
package import Issuing
internal import OAuth

/// `GET /admin/v1/project/history?before=`: who applied which configuration, or suspended the
/// project, when and why.
package struct AdminHistoryRoute: AdminRoute {
    package static var paths: [String] { ["/admin/v1/project/history"] }
    package static var methods: [Method] { [.get] }

    private let history: ProjectHistory

    package init(history: ProjectHistory) { self.history = history }

    package static func role(for method: Method) -> Operator.Role { .read }

    package func respond(to request: AdminRequest) async -> Response {
        do throws(EnvelopeError) {
            let project = try request.project()
            var end: Int32?
            if let text = try request.parameter("before") { end = try Self.version(text) }
            let page: ProjectHistory.Page
            do {
                page = try await history.versions(
                    of: project,
                    before: end,
                    by: request.deadline
                )
            } catch { throw EnvelopeError(error) }
            return .result(Self.render(page))
        } catch { return .admin(error) }
    }

    private static func version(_ text: [UInt8]) throws(EnvelopeError) -> Int32 {
        guard let version = DecimalDigits.read(text).flatMap({ Int32(exactly: $0) }) else {
            throw EnvelopeError(.badRequest, "before is no version")
        }
        return version
    }

    private static func render(_ page: ProjectHistory.Page) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("versions")
            writer.array { writer in
                for version in page.versions { writer.object { render(version, to: &$0) } }
            }
            writer.member("next", page.next.map { JSON.integer(Int64($0)) } ?? .null)
        }
        return writer.bytes
    }

    private static func render(_ version: ProjectHistory.Version, to writer: inout JSONWriter) {
        writer.name("version")
        writer.integer(Int64(version.number))
        writer.member("at", verbatim: RFC3339.milliseconds(version.at))
        if let name = version.operatorName { writer.member("operator", name) }
        if let reason = version.reason { writer.member("reason", reason) }
        switch version.change {
        case .applied(let digest, let changed):
            writer.member("change", "applied")
            writer.member("digest", Hexadecimal.text(digest.bytes))
            writer.name("changed")
            writer.array { writer in
                for path in changed { writer.string(path) }
            }
        case .suspended: writer.member("change", "suspended")
        case .resumed: writer.member("change", "resumed")
        }
    }
}
