package import HTTPServer
package import Issuing
internal import OAuth
package import Runtime

/// The admin listener: health and metrics for the machinery around, the admin API for operators.
package struct AdminAPI: RequestHandler {
    private struct Entry: Sendable {
        let route: any AdminRoute
        let kind: any AdminRoute.Type
        let label: String
        let allow: String
    }

    private enum Destination {
        case health(Response, label: String)
        case route(Entry, parameters: [String: [UInt8]])
        case nowhere(Response, label: String)
    }

    /// Routes with a table of who may call them; other processes have none.
    private let table: RouteTable<Entry>
    private let operators: Operators
    private let projects: any ProjectDirectory
    private let clock: any WallClock
    private let health: Health
    private let limits: RequestLimits
    private let intake: Intake
    private let observer: RequestObserver

    /// `clock`: while it is wrong operators change nothing, nor are they told what lives.
    package init(
        _ routes: [any AdminRoute],
        operators: Operators,
        projects: any ProjectDirectory,
        clock: any WallClock,
        health: Health,
        limits: RequestLimits,
        intake: Intake,
        observer: RequestObserver
    ) {
        var table = RouteTable<Entry>()
        for route in routes {
            let kind = type(of: route)
            let head: [Method] = kind.methods.contains(.get) ? [.head] : []
            let allow = (kind.methods + head + [.options]).map(\.rawValue)
            for path in kind.paths {
                table.add(
                    path,
                    Entry(
                        route: route,
                        kind: kind,
                        label: path,
                        allow: allow.joined(separator: ", ")
                    )
                )
            }
        }
        self.table = table
        self.operators = operators
        self.projects = projects
        self.clock = clock
        self.health = health
        self.limits = limits
        self.intake = intake
        self.observer = observer
    }

    package func admit(_ head: RequestHead, from peer: Peer) -> Admission {
        guard let match = match(head.path) else {
            // With a body, too, it hears that there is no such route.
            return .accept(Admission.Terms(slots: .ending))
        }
        let bodyBytesMax = match.element.kind.bodyBytesMax
        if let length = head.contentLength, length > bodyBytesMax {
            return .refuse(refused(RefusedRequest(.contentTooLarge, head), from: peer))
        }
        return .accept(
            Admission.Terms(
                bodyBytesMax: bodyBytesMax,
                handlerTime: .seconds(30),
                slots: .ending
            )
        )
    }

    package func refused(_ request: RefusedRequest, from peer: Peer) -> HTTPServer::Response {
        let asked = request.head.map { intake.refused($0, from: peer) }
        let id = asked?.id ?? intake.newID()
        let refusal = PipelineRefusal(request)
        guard let found = request.path.flatMap({ match($0) }) else {
            let response = ErrorForm.bare.response(refusal, id, accepting: request.accept)
            observer.count(request.method, response, route: RequestObserver.unknownRoute)
            return response.finished(id)
        }
        let response = Response.admin(refusal.envelope)
        let label = found.element.label
        // Of one that is late its route writes the line, when it is done.
        if let asked, !request.isLate {
            let routed = asked.routed(found.parameters)
            var record = AdminRecord(routed, needing: found.element.kind.role(for: routed.method))
            record.holder = try? holder(asked)
            observer.count(asked, response, route: label, of: record)
        } else {
            observer.count(request.method, response, route: label)
        }
        return response.finished(id)
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
        let name: String
        // Who asks for health asks all day, and hears of nobody.
        var record: AdminRecord?
        switch destination(request) {
        case .health(let answer, let label): (response, name) = (answer, label)
        case .nowhere(let refused, let label):
            (response, name, record) = (refused, label, AdminRecord(request))
        case .route(let entry, let parameters):
            name = entry.label
            let request = request.routed(parameters)
            var asked = AdminRecord(request, needing: entry.kind.role(for: request.method))
            response = await answer(request, entry, &asked)
            record = asked
        }
        observer.end(received, request, response, route: name, of: record)
        return response.finished(request.id)
    }

    /// Without operators the API is off, and off is not there.
    private func match(_ path: String) -> RouteTable<Entry>.Match? {
        operators.isEmpty ? nil : table.match(path)
    }

    private func destination(_ request: Request) -> Destination {
        if let answer = health.respond(at: request.path) {
            let isRead = request.method == .get || request.method == .head
            guard isRead else { return Self.notAllowed("GET, HEAD", label: request.path) }
            return .health(answer, label: request.path)
        }
        guard let match = match(request.path) else {
            return .nowhere(.empty(.notFound), label: RequestObserver.unknownRoute)
        }
        let entry = match.element
        let methods = entry.kind.methods
        let isRead = request.method == .head && methods.contains(.get)
        guard methods.contains(request.method) || isRead else {
            if request.method == .options {
                var response = Response.empty(.noContent)
                response.add("Allow", entry.allow)
                return .nowhere(response, label: entry.label)
            }
            return Self.notAllowed(entry.allow, label: entry.label)
        }
        return .route(entry, parameters: match.parameters)
    }

    private static func notAllowed(_ allow: String, label: String) -> Destination {
        var response = Response.empty(.methodNotAllowed)
        response.add("Allow", allow)
        return .nowhere(response, label: label)
    }

    private func answer(
        _ request: Request,
        _ entry: Entry,
        _ record: inout AdminRecord
    ) async -> Response {
        do throws(EnvelopeError) {
            var holder = try authenticate(request, noting: &record)
            holder.correlation = request.correlation
            guard holder.may(entry.kind.role(for: request.method)) else {
                throw EnvelopeError(.accessDenied, "your role does not allow this")
            }
            if let problem = clock.problem {
                throw PipelineRefusal.clockIsWrong(problem).envelope
            }
            return await entry.route.respond(
                to: AdminRequest(request, by: holder, projects: projects)
            )
        } catch {
            var response = Response.admin(error)
            if error.reason == .unauthenticated { response.add("WWW-Authenticate", "Bearer") }
            return response
        }
    }

    /// Nobody is anonymous, loopback included; failures count against the address, and keep no
    /// operator out who is one: others at that address may fail on the public listener all day.
    ///
    /// Who it is goes into the record before anything can be refused them.
    private func authenticate(_ request: Request, noting record: inout AdminRecord)
        throws(EnvelopeError) -> Operator
    {
        let holder: Operator
        do throws(EnvelopeError) { holder = try self.holder(request) } catch {
            try PipelineRefusal.refuseEnvelope(limits.take(.failedRequest, request.client.limitKey))
            throw error
        }
        record.holder = holder
        try PipelineRefusal.refuseEnvelope(limits.take(.admin, Array(holder.name.utf8)))
        return holder
    }

    /// A token that is sent counts, whatever the certificate: a wrong one is not passed over.
    private func holder(_ request: Request) throws(EnvelopeError) -> Operator {
        if request.headers["authorization"] != nil || request.certificateDigest == nil {
            guard let token = request.credentials("bearer"),
                let holder = operators.holder(of: token)
            else { throw EnvelopeError(.unauthenticated, "an operator's token is required") }
            return holder
        }
        guard let digest = request.certificateDigest,
            let holder = operators.holder(ofCertificate: digest)
        else { throw EnvelopeError(.unauthenticated, "this certificate is no operator's") }
        return holder
    }
}
