internal import HTTPServer
internal import Domain
internal import OAuth
package import Runtime

/// Counts requests and writes their log lines (architecture.md section 13).
package final class RequestObserver: Sendable {
    package static let unknownRoute = "unknown"

    private struct Series: Hashable {
        let route: String
        let method: Method?
        let status: Int

        // Looked up in every request: few routes have paths of one length, and to hash a text, or a
        // method by its name, takes longer than to compare with a few.
        func hash(into hasher: inout Hasher) {
            hasher.combine(status << 8 | route.utf8.count)
        }
    }

    private let metrics: Metrics
    private let log: Log
    private let seconds: Histogram
    private let requests = Guarded<[Series: Counter]>([:])

    package init(metrics: Metrics, log: Log) {
        self.metrics = metrics
        self.log = log
        seconds = metrics.histogram("chancery_http_request_seconds", "Time to an answer.")
    }

    func end(
        _ received: MonotonicInstant,
        _ request: Request,
        _ response: Response,
        route: String
    ) {
        let took = MonotonicInstant.now().since(received)
        seconds.observe(took)
        counter(Series(route: route, method: request.method, status: response.status.rawValue))
            .add()
        if let refusal = response.refusal {
            write(refusal, request, response, route, took)
        } else if log.writes(.debug) {
            log.debug(
                "request answered",
                .field("route", route),
                .field("status", response.status.rawValue),
                .field("ms", took),
                .field("request_id", request.id.text)
            )
        }
    }

    /// Counts a request that was refused before its body was read; perhaps its method is unknown.
    func refused(_ method: Method?, _ response: Response, route: String) {
        counter(Series(route: route, method: method, status: response.status.rawValue)).add()
    }

    private func write(
        _ refusal: Response.Refusal,
        _ request: Request,
        _ response: Response,
        _ route: String,
        _ took: Duration
    ) {
        var fields: [Log.Field] = [
            .field("route", route), .field("status", response.status.rawValue),
            .field("ms", took),
            .field("request_id", request.id.text), .field("error", refusal.error),
            .field("cause", refusal.cause), .field("refusal", refusal.id ?? ""),
        ]
        // Only whose trace goes on beyond us looks for it under this name.
        if request.traceparent != nil { fields.append(.field("trace_id", request.id.text)) }
        if let client = refusal.client { fields.append(.field("client", client)) }
        let log = fields.reduce(log) { $0.with($1) }
        if response.status.rawValue >= 500 {
            log.warning("request failed")
        } else {
            log.info("request refused")
        }
    }

    /// Routes are templates and methods and statuses few: the set of series is closed.
    private func counter(_ series: Series) -> Counter {
        requests.withLock { requests in
            if let counter = requests[series] { return counter }
            let counter = metrics.counter(
                "chancery_http_requests_total",
                "Requests answered.",
                [
                    "route": series.route, "method": series.method?.rawValue ?? "unknown",
                    "status": "\(series.status)",
                ]
            )
            requests[series] = counter
            return counter
        }
    }
}
