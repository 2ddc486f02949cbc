package import HTTPServer
package import Issuing
package import Runtime

/// The public listener: finds the project by host and the route by path, and dresses the answer.
package struct PublicAPI: RequestHandler {
    /// A class: looked up twice a request.
    private final class Entry: Sendable {
        let route: any Route
        let label: String
        let methods: [Method]
        let allow: String
        let kind: any Route.Type

        init(_ route: any Route, at path: String) {
            self.route = route
            label = path
            kind = type(of: route)
            let head: [Method] = kind.methods.contains(.get) ? [.head] : []
            methods = kind.methods + head + [.options]
            allow = methods.map(\.rawValue).joined(separator: ", ")
        }

        /// Before the method is known: the usual one.
        func errorForm(_ method: Method?) -> ErrorForm {
            method.map { kind.errorForm($0) } ?? kind.errorForm
        }

        func terms(_ method: Method) -> Admission.Terms {
            Admission.Terms(
                bodyBytesMax: kind.bodyBytesMax,
                handlerTime: kind.handlerTime,
                slots: kind.slots(method)
            )
        }
    }

    /// Where a request goes.
    private enum Destination {
        case route(Entry, parameters: [String: [UInt8]], Project)
        /// Only with another method.
        case otherwise(Entry, Project)
        case nowhere(Nowhere, label: String)
    }

    /// The answer where no route is asked.
    private enum Nowhere {
        case bare(Response)
        case unknownPath(Project)

        func response(_ id: RequestID, accepting accepted: [[UInt8]]) -> Response {
            switch self {
            case .bare(let response): return response
            case .unknownPath(let project):
                return NowherePage.response(.notFound, in: project, id, accepting: accepted)
            }
        }
    }

    private let table: RouteTable<Entry>
    /// The methods of all routes, for `OPTIONS *`.
    private let allow: String
    private let projects: any ProjectDirectory
    private let snapshots: ProjectSnapshots
    private let intake: Intake
    private let observer: RequestObserver
    private let clock: any WallClock
    private let isForDevelopment: Bool

    /// `clock`: while it is wrong, routes that need the time are not asked, nor those that grant
    /// anything while the project is suspended; `isForDevelopment` marks every answer
    /// (Security 10).
    package init(
        _ routes: [any Route],
        projects: any ProjectDirectory,
        snapshots: ProjectSnapshots,
        intake: Intake,
        observer: RequestObserver,
        clock: any WallClock,
        isForDevelopment: Bool = false
    ) {
        var table = RouteTable<Entry>()
        for route in routes {
            for path in type(of: route).paths { table.add(path, Entry(route, at: path)) }
        }
        self.table = table
        let methods = Set(routes.flatMap { type(of: $0).methods } + [.head, .options])
        allow = Method.allCases.filter(methods.contains).map(\.rawValue).joined(separator: ", ")
        self.projects = projects
        self.snapshots = snapshots
        self.intake = intake
        self.observer = observer
        self.clock = clock
        self.isForDevelopment = isForDevelopment
    }

    package func admit(_ head: RequestHead, from peer: Peer) -> Admission {
        switch destination(head.method, head.path, host: head.host) {
        case .nowhere(let nowhere, let label):
            let origin = intake.origin(of: peer, head)
            let response = nowhere.response(origin.id, accepting: head.fields.all("accept"))
            observer.count(head.method, response, route: label)
            return .refuse(finish(response, origin))
        case .otherwise(let entry, let project):
            let origin = intake.origin(of: peer, head)
            let headers = RequestHeaders(head.fields)
            let response = wrongMethod(head.method, headers, origin.id, entry, project)
            observer.count(head.method, response, route: entry.label)
            return .refuse(finish(response, origin))
        case .route(let entry, _, _):
            let terms = entry.terms(head.method)
            if let length = head.contentLength, length > terms.bodyBytesMax {
                return .refuse(refused(RefusedRequest(.contentTooLarge, head), from: peer))
            }
            return .accept(terms)
        }
    }

    package func refused(_ request: RefusedRequest, from peer: Peer) -> HTTPServer::Response {
        let entry = request.path.flatMap { table.match($0) }?.element
        let origin = intake.origin(of: peer, request.head)
        let form = entry?.errorForm(request.method) ?? .bare
        var response = form.response(
            PipelineRefusal(request),
            origin.id,
            accepting: request.accept
        )
        observer.count(
            request.method,
            response,
            route: entry?.label ?? RequestObserver.unknownRoute
        )
        // A page that may call the route may also read why it was refused.
        if let head = request.head, let entry,
            let project = projects.project(host: head.host)
        {
            access(head.method, RequestHeaders(head.fields), entry, project).dress(&response)
        }
        return finish(response, origin)
    }

    package func respond(to raw: HTTPServer::Request) async -> HTTPServer::Response {
        await respond(to: intake.request(raw), received: raw.received)
    }

    /// As above, for a request made otherwise.
    package func respond(
        to request: Request,
        received: MonotonicInstant = .now()
    ) async -> HTTPServer::Response {
        let response: Response
        let label: String
        switch destination(request.method, request.path, host: request.host) {
        case .nowhere(let nowhere, let unknown):
            response = nowhere.response(request.id, accepting: request.headers.all("accept"))
            label = unknown
        case .otherwise(let entry, let project):
            label = entry.label
            response = wrongMethod(request.method, request.headers, request.id, entry, project)
        case .route(let entry, let parameters, let project):
            label = entry.label
            response = await answer(request, entry, parameters, project)
        }
        observer.end(received, request, response, route: label)
        return finish(response, request.id, isSecure: request.isSecure)
    }

    private func destination(_ method: Method, _ path: String, host: String) -> Destination {
        guard let project = projects.project(host: host) else {
            return .nowhere(.bare(unknownHost), label: RequestObserver.unknownRoute)
        }
        guard path != "*" else { return .nowhere(.bare(wholeServer), label: path) }
        guard let match = table.match(path) else {
            return .nowhere(.unknownPath(project), label: RequestObserver.unknownRoute)
        }
        let entry = match.element
        guard entry.methods.contains(method) else { return .otherwise(entry, project) }
        return .route(entry, parameters: match.parameters, project)
    }

    private func wrongMethod(
        _ method: Method,
        _ headers: RequestHeaders,
        _ id: RequestID,
        _ entry: Entry,
        _ project: Project
    ) -> Response {
        var response = NowherePage.response(
            .methodNotAllowed,
            in: project,
            id,
            accepting: headers.all("accept")
        )
        response.add("Allow", entry.allow)
        access(method, headers, entry, project).dress(&response)
        return response
    }

    private func access(
        _ method: Method,
        _ headers: RequestHeaders,
        _ entry: Entry,
        _ project: Project
    ) -> CrossOriginAccess {
        CrossOriginAccess(method, headers, entry.kind.crossOrigin) {
            snapshots.of(project).allowedOrigins
        }
    }

    /// A node that has not read its projects, or cannot read one, does not know all their hosts.
    private var unknownHost: Response {
        guard !projects.isComplete else { return .empty(.misdirectedRequest) }
        var response = Response.empty(.serviceUnavailable)
        response.add("Retry-After", "1")
        return response
    }

    /// `OPTIONS *` asks what the server can do at all (RFC 9110 section 9.3.7).
    private var wholeServer: Response {
        var response = Response.empty(.noContent)
        response.add("Allow", allow)
        return response
    }

    private func answer(
        _ request: Request,
        _ entry: Entry,
        _ parameters: [String: [UInt8]],
        _ project: Project
    ) async -> Response {
        let access = access(request.method, request.headers, entry, project)
        var response: Response
        if request.method == .options {
            response = access.preflight(allow: entry.allow)
        } else if request.method == .head, entry.kind.headAnswer == .nothing {
            response = .empty(.noContent)
        } else if entry.kind.errorForm(request.method) == .page,
            let elsewhere = request.wayToIssuer(of: project)
        {
            response = elsewhere
        } else if let refusal = refusal(entry, project) {
            entry.route.passedOver(request, refusal.oauth)
            response = entry.kind.errorForm(request.method).response(
                refusal,
                request.id,
                accepting: request.headers.all("accept")
            )
        } else {
            response = await entry.route.respond(
                to: seen(request, entry, parameters, project),
                in: project
            )
        }
        access.dress(&response)
        return response
    }

    /// What keeps its route from being asked at all.
    private func refusal(_ entry: Entry, _ project: Project) -> PipelineRefusal? {
        if entry.kind.needsTime, let problem = clock.problem { return .clockIsWrong(problem) }
        return project.isSuspended && !entry.kind.outlivesSuspension ? .projectIsSuspended : nil
    }

    /// As its route sees it, and what its limits count it by.
    private func seen(
        _ request: Request,
        _ entry: Entry,
        _ parameters: [String: [UInt8]],
        _ project: Project
    ) -> Request {
        let isForeign = request.isOfForeignPage(
            project.issuer,
            takesVisitors: entry.kind.errorForm(request.method) == .page
        ) { snapshots.of(project).allowedOrigins }
        guard isForeign || request.method == .head || !parameters.isEmpty else { return request }
        var client = request.client
        client.isForeignPage = isForeign
        return request.routed(parameters, from: client)
    }

    private func finish(_ response: Response, _ origin: Intake.Origin) -> HTTPServer::Response {
        finish(response, origin.id, isSecure: origin.isSecure)
    }

    private func finish(_ response: Response, _ id: RequestID, isSecure: Bool)
        -> HTTPServer::Response
    {
        var message = response.finished(id)
        if isSecure {
            message.add(lines: "Strict-Transport-Security: max-age=31536000\r\n")
        }
        if isForDevelopment { message.add(lines: "Chancery-Insecure-Dev: 1\r\n") }
        return message
    }
}
