internal import Domain
package import HTTPServer
internal import Runtime

/// The admin listener of a process without operators: `/livez`, `/readyz` and `/metrics` alone.
package struct HealthAPI: RequestHandler {
    private let health: Health
    private let observer: RequestObserver

    /// Answers from `health`, counts in `observer`.
    package init(_ health: Health, observer: RequestObserver) {
        self.health = health
        self.observer = observer
    }

    package func admit(_ head: RequestHead, from peer: Peer) -> Admission {
        .accept(Admission.Terms(slots: .ending))
    }

    package func refused(_ request: RefusedRequest, from peer: Peer) -> HTTPServer::Response {
        counted(.empty(request.status), request.method, RequestObserver.unknownRoute)
    }

    package func respond(to request: HTTPServer::Request) async -> HTTPServer::Response {
        guard let answer = health.respond(at: request.path) else {
            return counted(.empty(.notFound), request.method, RequestObserver.unknownRoute)
        }
        guard request.method == .get || request.method == .head else {
            var refused = Response.empty(.methodNotAllowed)
            refused.add("Allow", "GET, HEAD")
            return counted(refused, request.method, request.path)
        }
        return counted(answer, request.method, request.path)
    }

    private func counted(
        _ response: Response,
        _ method: Method?,
        _ route: String
    ) -> HTTPServer::Response {
        observer.count(method, response, route: route)
        var random = SystemRandomNumberGenerator()
        return response.finished(
            RequestID(StreamID(high: random.next(), low: random.next()))
        )
    }
}
