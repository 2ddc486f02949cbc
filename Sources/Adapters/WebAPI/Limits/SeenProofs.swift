package import Domain
package import Issuing
internal import Runtime

/// The proofs used at this node's resources that are still young enough to be sent again
/// (WireContract 6.4).
///
/// At most `entriesMax`, and `entriesPerHolderMax` of one holder, so that one user's proofs leave
/// room for the others'. What is forgotten goes second by second: no call pays for the whole table.
package final class SeenProofs: ProofMemory {
    package static let entriesMax = 200_000
    /// Six a second for as long as one is kept.
    package static let entriesPerHolderMax = 2_000

    private let table: Guarded<Table>

    /// `perHolderMax`: more where few come, and often; `leavesRoom`: no project takes more places
    /// than are left for others.
    package init(perHolderMax: Int = entriesPerHolderMax, leavesRoom: Bool = false) {
        table = Guarded(Table(perHolderMax: perHolderMax, leavesRoom: leavesRoom))
    }

    package func note(_ use: SingleUse, of holder: ProofHolder, at now: Instant) -> ProofNovelty {
        table.withLock { $0.note(use, of: holder, at: now) }
    }
}

private struct Table {
    /// A proof is kept for ten minutes at most: after a longer pause none is left.
    private static let keptSecondsMax: Int64 = 1_024
    /// How much longer than it is good: a clock may be set back by two seconds.
    private static let marginSeconds: Int64 = 3

    private struct Entry {
        let use: StreamID
        let holder: ProofHolder
    }

    private var uses: Set<StreamID> = []
    private var counts: [ProofHolder: Int] = [:]
    private var projects: [ProjectNumber: Int] = [:]
    /// By the second from which on they are forgotten.
    private var endings: [Int64: [Entry]] = [:]
    private var forgotten: Int64 = 0
    private let perHolderMax: Int
    private let leavesRoom: Bool

    init(perHolderMax: Int, leavesRoom: Bool) {
        self.perHolderMax = perHolderMax
        self.leavesRoom = leavesRoom
    }

    mutating func note(_ use: SingleUse, of holder: ProofHolder, at now: Instant) -> ProofNovelty {
        // Its times were looked at a moment ago; by now the first use of it may be forgotten.
        guard now < use.expiresAt else { return .used }
        forget(until: now.seconds)
        guard !uses.contains(use.stream) else { return .used }
        guard counts[holder, default: 0] < perHolderMax else { return .tooMany }
        let free = SeenProofs.entriesMax - uses.count
        guard free > (leavesRoom ? projects[holder.project, default: 0] : 0) else { return .full }
        uses.insert(use.stream)
        counts[holder, default: 0] += 1
        projects[holder.project, default: 0] += 1
        let end = max(use.expiresAt.seconds + Self.marginSeconds, forgotten + 1)
        endings[end, default: []].append(Entry(use: use.stream, holder: holder))
        return .first
    }

    private mutating func forget(until second: Int64) {
        if second - forgotten > Self.keptSecondsMax {
            self = Table(perHolderMax: perHolderMax, leavesRoom: leavesRoom)
            forgotten = second
        }
        while forgotten < second {
            forgotten += 1
            for entry in endings.removeValue(forKey: forgotten) ?? [] {
                uses.remove(entry.use)
                counts.countDown(entry.holder)
                projects.countDown(entry.holder.project)
            }
        }
    }
}

extension Dictionary where Value == Int {
    /// One less; nothing is kept of what has none.
    fileprivate mutating func countDown(_ key: Key) {
        let count = self[key, default: 1]
        self[key] = count > 1 ? count - 1 : nil
    }
}
