package import Issuing
internal import Runtime

/// The public listener: finds the project by host and the route by path, and dresses the answer.
package struct PublicAPI: Sendable {
    private struct Entry: Sendable {
        let route: any Route
        let label: String
        let methods: [Method]
        let allow: String
        let errorForm: ErrorForm
        let crossOrigin: CrossOrigin
        let headAnswer: HeadAnswer
        let bodyBytesMax: Int
    }

    /// When no route says otherwise.
    package static let bodyBytesMax = 64 * 1024

    private let table: RouteTable<Entry>
    private let projects: any ProjectDirectory
    private let snapshots: ProjectSnapshots
    private let observer: RequestObserver

    package init(
        _ routes: [any Route],
        projects: any ProjectDirectory,
        snapshots: ProjectSnapshots,
        observer: RequestObserver
    ) {
        var table = RouteTable<Entry>()
        for route in routes {
            for path in type(of: route).paths { table.add(path, Self.entry(route, path)) }
        }
        self.table = table
        self.projects = projects
        self.snapshots = snapshots
        self.observer = observer
    }

    private static func entry(_ route: any Route, _ path: String) -> Entry {
        let kind = type(of: route)
        let methods =
            kind.methods + (kind.methods.contains(.get) ? [.head] : []) + [.options]
        return Entry(
            route: route,
            label: path,
            methods: methods,
            allow: methods.map(\.rawValue).joined(separator: ", "),
            errorForm: kind.errorForm,
            crossOrigin: kind.crossOrigin,
            headAnswer: kind.headAnswer,
            bodyBytesMax: kind.bodyBytesMax
        )
    }

    /// How large a body to `path` may be; asked before it is read.
    package func bodyBytesMax(_ path: [UInt8]) -> Int {
        table.match(path)?.element.bodyBytesMax ?? Self.bodyBytesMax
    }

    /// What goes out instead when the server refused the request to `path` unread.
    package func response(to refusal: PipelineRefusal, path: [UInt8], id: RequestID) -> Response {
        let form = table.match(path)?.element.errorForm ?? .bare
        var response = form.response(refusal)
        response.set("Cache-Control", "no-store")
        response.set("X-Request-Id", id.text)
        return response
    }

    package func respond(to request: Request) async -> Response {
        let measured = observer.begin()
        var label = RequestObserver.unknownRoute
        var response = await answer(request, label: &label)
        response.finish(request)
        observer.end(measured, request, response, route: label)
        return response
    }

    private func answer(_ request: Request, label: inout String) async -> Response {
        guard let project = projects.project(host: request.host) else { return .empty(421) }
        guard let match = table.match(request.path) else { return .empty(404) }
        let entry = match.element
        label = entry.label
        let snapshot = snapshots.of(project)
        let access = CrossOriginAccess(request, entry.crossOrigin, snapshot.allowedOrigins)
        var response: Response
        if request.method == .options {
            response = access.preflight(allow: entry.allow)
        } else if !entry.methods.contains(request.method) {
            response = .empty(405)
            response.set("Allow", entry.allow)
        } else if request.method == .head, entry.headAnswer == .nothing {
            response = .empty(204)
        } else {
            var request = request
            if request.method == .head { request.method = .get }
            request.parameters = match.parameters
            response = await entry.route.respond(to: request, in: project)
        }
        access.dress(&response)
        return response
    }
}

extension Response {
    /// What every answer carries, whatever route it came from (security.md section 7.2).
    mutating func finish(_ request: Request) {
        headers.append(Header("X-Request-Id", request.id.text))
        if self["Cache-Control"] == nil {
            headers.append(Header("Cache-Control", "no-store"))
            if self["Content-Type"] == Self.jsonType.value {
                headers.append(Header("Pragma", "no-cache"))
                headers.append(Header("X-Content-Type-Options", "nosniff"))
            }
        }
    }
}
