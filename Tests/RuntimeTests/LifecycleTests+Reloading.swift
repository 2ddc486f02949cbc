import Foundation
import TestSupport
import Testing

@testable import Runtime

extension LifecycleTests {
    @Test("a reload that does not end is said once, and counts until it does") func lateReload()
        async throws
    {
        let said = SaidLog()
        let states = try await onThread {
            let isFree = Guarded(false)
            let states = Guarded<[String]>([])
            let loop = try Loop(name: "main")
            let metrics = Metrics()
            let slow = Component(
                "slow",
                reload: {
                    while !isFree.current {
                        try? await loop.sleep(until: .now().advanced(by: .milliseconds(1)))
                    }
                }
            )
            let lifecycle = Lifecycle(on: loop, log: said.log, [slow])
            lifecycle.reloadMax = .milliseconds(20)
            RuntimeMetrics.publish(lifecycle, to: metrics)
            Thread.detachNewThread {
                lifecycle.reload()
                for wanted in ["1", "0"] {
                    let limit = MonotonicInstant.now().advanced(by: .seconds(20))
                    var state = ""
                    while state != wanted, MonotonicInstant.now() < limit {
                        usleep(1_000)
                        let text = String(decoding: metrics.render(), as: UTF8.self)
                        state = String(text.suffix(2).first ?? " ")
                    }
                    states.withLock { $0.append(state) }
                    isFree.replace(with: true)
                }
                lifecycle.end(.success)
            }
            _ = lifecycle.run()
            return states.current
        }
        #expect(states == ["1", "0"])
        let text = said.end()
        #expect(text.components(separatedBy: "a reload has not ended").count == 2)
        #expect(text.contains(#""component":"slow""#))
        #expect(text.contains(#""msg":"reloaded""#))
    }
}
