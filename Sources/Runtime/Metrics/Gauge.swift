internal import Synchronization

/// A number that goes up and down, from any thread.
package final class Gauge: Sendable {
    private let bits = Atomic<UInt64>(0)

    init() {}

    /// Puts `value` in the place of the last one.
    package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    /// Adds `amount`, negative to subtract.
    package func add(_ amount: Double) {
        var seen = bits.load(ordering: .relaxed)
        while true {
            let wanted = (Double(bitPattern: seen) + amount).bitPattern
            let result = bits.weakCompareExchange(
                expected: seen,
                desired: wanted,
                ordering: .relaxed
            )
            if result.exchanged { return }
            seen = result.original
        }
    }

    /// The value now.
    package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
}
