import Runtime
import TestSupport
import Testing
import WebAPI

/// What whoever measures a process hears of `/readyz` (Architecture 13).
@Suite("Ready, as a number") struct ReadyNumberTests {
    private let metrics = Metrics()

    private var ready: String? {
        String(decoding: metrics.render(), as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("chancery_ready{") }
            .map(String.init)
    }

    @Test("is 0 while a check fails, and once the process is going to end") func number() {
        let problem = Guarded<String?>("no connection")
        let health = Health(
            isAlive: { true },
            checks: [.init("database") { problem.current }, .init("keys") { nil }],
            metrics: metrics
        )
        #expect(ready == nil)
        health.publish(as: "event-relay")
        #expect(ready == #"chancery_ready{program="event-relay"} 0"#)
        problem.replace(with: nil)
        #expect(ready == #"chancery_ready{program="event-relay"} 1"#)
        health.leave()
        #expect(ready == #"chancery_ready{program="event-relay"} 0"#)
    }
}
