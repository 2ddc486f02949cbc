internal import HTTPServer
internal import Domain
internal import OAuth
package import Runtime

/// Counts requests and writes their log lines (Architecture 13).
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

    /// `record`: of a request of the admin API, of which there is a line whatever became of it.
    func end(
        _ received: MonotonicInstant,
        _ request: Request,
        _ response: Response,
        route: String,
        of record: AdminRecord? = nil
    ) {
        let took = MonotonicInstant.now().since(received)
        seconds.observe(took)
        counter(Series(route: route, method: request.method, status: response.status.rawValue))
            .add()
        guard record != nil || response.refusal != nil || log.writes(.debug) else { return }
        let line = log.with(
            .field("route", route),
            .field("status", response.status.rawValue),
            .field("ms", took),
            .field("request_id", request.id.text)
        )
        if let record {
            write(record, request, response, line)
        } else if let refusal = response.refusal {
            write(refusal, request, response, line)
        } else {
            line.debug("request answered")
        }
    }

    /// Counts an answer and writes no line: to what was refused before its body was read, perhaps
    /// before its method was known, and to who asks for health.
    func count(_ method: Method?, _ response: Response, route: String) {
        counter(Series(route: route, method: method, status: response.status.rawValue)).add()
    }

    /// Counts what was refused before it was whole, and writes its line: a request of the admin API
    /// has one whatever became of it.
    func count(
        _ request: Request,
        _ response: Response,
        route: String,
        of record: AdminRecord
    ) {
        count(request.method, response, route: route)
        let line = log.with(
            .field("route", route),
            .field("status", response.status.rawValue),
            .field("request_id", request.id.text)
        )
        write(record, request, response, line)
    }

    private func write(
        _ refusal: Response.Refusal,
        _ request: Request,
        _ response: Response,
        _ line: Log
    ) {
        let line = Self.telling(
            refusal,
            of: request,
            in: line.with(.field("network", request.client.network))
        )
        if response.status.rawValue >= 500 {
            line.warning("request failed")
        } else {
            // What was tried is evidence: a quiet log has it, too (decision 0228).
            line.notice("request refused")
        }
    }

    /// Reading leaves no event: the line is the only trace of who read (decision 0228).
    private func write(
        _ record: AdminRecord,
        _ request: Request,
        _ response: Response,
        _ line: Log
    ) {
        var line = line.with(
            .field("method", request.method.rawValue),
            .field("network", request.client.network)
        )
        line = record.fields.reduce(line) { $0.with($1) }
        if let refusal = response.refusal {
            line = Self.telling(refusal, of: request, in: line)
        }
        switch response.status.rawValue {
        case 500...: line.warning("admin request failed")
        case 400...: line.notice("admin request refused")
        default: line.notice("admin request answered")
        }
    }

    private static func telling(_ refusal: Response.Refusal, of request: Request, in line: Log)
        -> Log
    {
        var line = line.with(
            .field("error", refusal.error),
            .field("cause", refusal.cause),
            .field("refusal", refusal.id ?? "")
        )
        // Only whose trace goes on beyond us looks for it under this name.
        if request.traceparent != nil { line = line.with(.field("trace_id", request.id.text)) }
        if let client = refusal.client { line = line.with(.field("client", client)) }
        return line
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
