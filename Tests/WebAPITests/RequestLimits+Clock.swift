import Domain
import InMemory
import Runtime
import WebAPI

extension RequestLimits {
    /// Limits whose time is a test's to move, as all other time of its side.
    convenience init(
        _ rates: [RequestLimit: RequestLimit.Rate],
        metrics: Metrics,
        by clock: SettableClock
    ) {
        self.init(rates, metrics: metrics) { UInt64(clock.now.microseconds) * 1000 }
    }
}
