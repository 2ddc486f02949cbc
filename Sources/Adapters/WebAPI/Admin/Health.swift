internal import HTTPServer
internal import OAuth
package import Runtime

/// Whether a process lives and can do its work (Architecture 13).
package struct Health: Sendable {
    /// One thing the process needs.
    package struct Check: Sendable {
        package let name: String
        /// Nil when all is well, else what is wrong; must not wait.
        package let problem: @Sendable () -> String?

        package init(_ name: String, problem: @escaping @Sendable () -> String?) {
            self.name = name
            self.problem = problem
        }
    }

    private let isLeaving = Guarded(false)
    private let isAlive: @Sendable () -> Bool
    private let checks: [Check]
    private let metrics: Metrics

    /// `isAlive`: whether every loop has turned within 5 s; asks nothing outside the process.
    package init(
        isAlive: @escaping @Sendable () -> Bool,
        checks: [Check],
        metrics: Metrics
    ) {
        self.isAlive = isAlive
        self.checks = checks
        self.metrics = metrics
    }

    /// From now on the process is not ready, whatever its checks say: it is going to end.
    package func leave() { isLeaving.replace(with: true) }

    /// The answer at `path`; nil when it is none of `/livez`, `/readyz`, `/metrics`.
    func respond(at path: String) -> Response? {
        switch path {
        case "/livez": .empty(isAlive() ? .ok : .serviceUnavailable)
        case "/readyz": readiness()
        case "/metrics":
            Response(.ok, contentType: "text/plain; version=0.0.4", body: metrics.render())
        default: nil
        }
    }

    private func readiness() -> Response {
        var results = checks.map { ($0.name, $0.problem()) }
        if isLeaving.current { results.append(("process", "going to end")) }
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("checks")
            writer.object { writer in
                for (name, problem) in results { writer.member(name, problem ?? "ok") }
            }
        }
        let isReady = results.allSatisfy { $0.1 == nil }
        return .json(writer.bytes, status: isReady ? .ok : .serviceUnavailable)
    }
}
