package import Domain
internal import Issuing
internal import Runtime

/// Turns for all who ask, counted; none once it is full.
package final class InMemoryLookTurns: LookTurns {
    private let count = Guarded(0)
    private let isFull: Bool

    /// With `isFull` nobody has a turn in time.
    package init(isFull: Bool = false) { self.isFull = isFull }

    /// How many had a turn.
    package var taken: Int { count.current }

    package func take<Answer: Sendable>(
        by deadline: Deadline,
        _ look: () async -> Answer
    ) async -> Answer? {
        guard !isFull else { return nil }
        count.withLock { $0 += 1 }
        return await look()
    }
}
