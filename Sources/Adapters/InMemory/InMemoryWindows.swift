package import Domain
package import Issuing
internal import Runtime

/// Rate windows in memory.
package final class InMemoryWindows: RateWindows {
    private struct Slot: Hashable {
        var key: TokenDigest
        var window: Int64
        var number: Int64

        init(_ use: WindowUse, at now: Instant) {
            key = use.key
            window = use.windowSeconds
            number = now.seconds / max(1, use.windowSeconds)
        }
    }

    private let counts = Guarded<[Slot: Int]>([:])

    package init() {}

    package func take(_ uses: [WindowUse], at now: Instant, by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        counts.withLock { counts in
            let slots = uses.map { Slot($0, at: now) }
            for (slot, use) in zip(slots, uses) where counts[slot, default: 0] >= use.maximum {
                return false
            }
            for slot in slots { counts[slot, default: 0] += 1 }
            return true
        }
    }

    package func haveRoom(_ uses: [WindowUse], at now: Instant, by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        counts.withLock { counts in
            uses.allSatisfy { counts[Slot($0, at: now), default: 0] < $0.maximum }
        }
    }

    package func hasCounted(_ use: WindowUse, at now: Instant, by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        counts.withLock { $0[Slot(use, at: now)] != nil }
    }
}
