package import Domain
package import Issuing
internal import Runtime

/// The proofs of the last ten minutes, in this node's memory (wire.md section 6.4).
///
/// At most `entriesMax`; past that nothing new is accepted until old ones expire.
package final class SeenProofs: ProofMemory {
    package static let entriesMax = 200_000

    private let expiries = Guarded<[StreamID: Instant]>([:])

    package init() {}

    package func isFirst(_ use: SingleUse, at now: Instant) -> Bool {
        expiries.withLock { expiries in
            if let expiry = expiries[use.stream], now < expiry { return false }
            if expiries.count >= Self.entriesMax {
                // Sweeping costs milliseconds: at most once per full table.
                expiries = expiries.filter { now < $0.value }
                guard expiries.count < Self.entriesMax else { return false }
            }
            expiries[use.stream] = use.expiresAt
            return true
        }
    }
}
