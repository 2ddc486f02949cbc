package import Domain
package import Issuing
internal import Runtime

/// The proofs used at this node's resources that are still young enough to be sent again
/// (wire.md section 6.4).
///
/// At most `entriesMax`, and `entriesPerKeyMax` of one key, so that one user's proofs leave room
/// for the others'. What is forgotten goes second by second: no call pays for the whole table.
package final class SeenProofs: ProofMemory {
    package static let entriesMax = 200_000
    /// Six a second for as long as one is kept.
    package static let entriesPerKeyMax = 2_000

    private let table: Guarded<Table>

    /// `perKeyMax`: more where few keys come, and often.
    package init(perKeyMax: Int = entriesPerKeyMax) {
        table = Guarded(Table(perKeyMax: perKeyMax))
    }

    package func note(_ use: SingleUse, by key: Thumbprint, at now: Instant) -> ProofNovelty {
        table.withLock { $0.note(use, by: key, at: now) }
    }
}

private struct Table {
    /// A proof is kept for ten minutes at most: after a longer pause none is left.
    private static let keptSecondsMax: Int64 = 1_024
    /// How much longer than it is good: a clock may be set back by two seconds.
    private static let marginSeconds: Int64 = 3

    private struct Entry {
        let use: StreamID
        let key: Thumbprint
    }

    private var uses: Set<StreamID> = []
    private var counts: [Thumbprint: Int] = [:]
    /// By the second from which on they are forgotten.
    private var endings: [Int64: [Entry]] = [:]
    private var forgotten: Int64 = 0
    private let perKeyMax: Int

    init(perKeyMax: Int) { self.perKeyMax = perKeyMax }

    mutating func note(_ use: SingleUse, by key: Thumbprint, at now: Instant) -> ProofNovelty {
        // Its times were looked at a moment ago; by now the first use of it may be forgotten.
        guard now < use.expiresAt else { return .used }
        forget(until: now.seconds)
        guard !uses.contains(use.stream) else { return .used }
        let count = counts[key, default: 0]
        guard count < perKeyMax else { return .tooManyByKey }
        guard uses.count < SeenProofs.entriesMax else { return .full }
        uses.insert(use.stream)
        counts[key] = count + 1
        let end = max(use.expiresAt.seconds + Self.marginSeconds, forgotten + 1)
        endings[end, default: []].append(Entry(use: use.stream, key: key))
        return .first
    }

    private mutating func forget(until second: Int64) {
        if second - forgotten > Self.keptSecondsMax {
            self = Table(perKeyMax: perKeyMax)
            forgotten = second
        }
        while forgotten < second {
            forgotten += 1
            for entry in endings.removeValue(forKey: forgotten) ?? [] {
                uses.remove(entry.use)
                let count = counts[entry.key, default: 1]
                counts[entry.key] = count > 1 ? count - 1 : nil
            }
        }
    }
}
