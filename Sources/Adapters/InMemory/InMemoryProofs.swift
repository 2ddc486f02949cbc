package import Domain
package import Issuing
internal import Runtime

/// Remembers every proof for good.
package final class InMemoryProofs: ProofMemory {
    private let seen = Guarded<Set<StreamID>>([])

    package init() {}

    package func note(_ use: SingleUse, of holder: ProofHolder, at now: Instant) -> ProofNovelty {
        seen.withLock { $0.insert(use.stream).inserted } ? .first : .used
    }
}
