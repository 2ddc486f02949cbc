internal import Synchronization

/// A number that only grows.
///
/// Adding is one atomic instruction, from any thread.
package final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    init() {}

    /// Counts `amount` more.
    package func add(_ amount: Int = 1) {
        count.wrappingAdd(UInt64(max(0, amount)), ordering: .relaxed)
    }

    /// The count so far.
    package var value: UInt64 { count.load(ordering: .relaxed) }
}
