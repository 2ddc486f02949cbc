package import Domain
package import Issuing
internal import Runtime

/// Remembers every proof for good.
package final class InMemoryProofs: ProofMemory {
    private let seen = Guarded<Set<StreamID>>([])

    package init() {}

    package func isFirst(_ use: SingleUse, at now: Instant) -> Bool {
        seen.withLock { $0.insert(use.stream).inserted }
    }
}
