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

    /// Publishes `chancery_ready`, which is found when somebody asks, as `/readyz` is.
    package func publish(as program: String) {
        // Not itself: what the numbers hold must not hold the numbers.
        metrics.observe(
            "chancery_ready",
            "1 while /readyz answers 200.",
            ["program": program]
        ) { [checks, isLeaving] in
            Self.results(checks, isLeaving).allSatisfy { $0.problem == nil } ? 1 : 0
        }
    }

    private static func results(
        _ checks: [Check],
        _ isLeaving: Guarded<Bool>
    ) -> [(name: String, problem: String?)] {
        var results = checks.map { (name: $0.name, problem: $0.problem()) }
        if isLeaving.current { results.append((name: "process", problem: "going to end")) }
        return results
    }

    private func readiness() -> Response {
        let results = Self.results(checks, isLeaving)
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("checks")
            writer.object { writer in
                for (name, problem) in results { writer.member(name, problem ?? "ok") }
            }
        }
        let isReady = results.allSatisfy { $0.problem == nil }
        return .json(writer.bytes, status: isReady ? .ok : .serviceUnavailable)
    }
}
