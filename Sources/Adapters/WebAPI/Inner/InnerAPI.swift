package import HTTPServer
package import Issuing
package import Runtime

/// The inner listener: a Unix socket 0600, whose permission is the authentication.
package struct InnerAPI: RequestHandler {
    private let table: RouteTable<any InnerRoute>
    private let intake: Intake
    private let observer: RequestObserver
    private let clock: any WallClock

    /// `clock`: while it is wrong nothing is signed.
    package init(
        _ routes: [any InnerRoute],
        intake: Intake,
        observer: RequestObserver,
        clock: any WallClock
    ) {
        var table = RouteTable<any InnerRoute>()
        for route in routes { table.add(type(of: route).path, route) }
        self.table = table
        self.intake = intake
        self.observer = observer
        self.clock = clock
    }

    package func admit(_ head: RequestHead, from peer: Peer) -> Admission {
        let route = table.match(head.path)?.element
        let bodyBytesMax = route.map { type(of: $0).bodyBytesMax } ?? 0
        if let length = head.contentLength, length > bodyBytesMax {
            return .refuse(refused(RefusedRequest(.contentTooLarge, head), from: peer))
        }
        return .accept(Admission.Terms(bodyBytesMax: bodyBytesMax))
    }

    package func refused(_ request: RefusedRequest, from peer: Peer) -> HTTPServer::Response {
        let id = intake.newID()
        let refusal = PipelineRefusal(request)
        return Response.envelope(refusal.envelope).finished(id)
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
        var label = RequestObserver.unknownRoute
        if let route = table.match(request.path)?.element {
            label = type(of: route).path
            if request.method == .post, let problem = clock.problem {
                response = .envelope(PipelineRefusal.clockIsWrong(problem).envelope)
            } else if request.method == .post {
                response = await route.respond(to: request)
            } else {
                var refused = Response.empty(.methodNotAllowed)
                refused.add("Allow", "POST")
                response = refused
            }
        } else {
            response = .empty(.notFound)
        }
        observer.end(received, request, response, route: label)
        return response.finished(request.id)
    }
}
