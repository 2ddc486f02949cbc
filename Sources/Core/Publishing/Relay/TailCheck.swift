package import Domain

/// Compares the end of Kafka's log with the first rows a new relay reads (Events 9.3).
///
/// What Kafka has at or above the cursor was published by a relay that died before it moved the
/// cursor. PostgreSQL must show the same events under the same numbers at once; if it does not, it
/// has lost history that others have already seen.
package struct TailCheck: Hashable, Sendable {
    /// Something published is not in PostgreSQL any more.
    package struct LostHistory: Error, Hashable, Sendable {
        /// Its number.
        package var index: Int64
    }

    private var expected: [Int64: EventHash] = [:]
    private let next: Int64
    /// The highest number Kafka names.
    private var last: Int64
    /// The highest a watermark names: every one up to it was published and kept.
    private var kept: Int64

    /// Looks at records from the ends of the partitions; those of other logs do not count.
    package init(of log: StreamID, nextIndex: Int64, _ records: some Sequence<LogRecord>) {
        next = nextIndex
        last = nextIndex - 1
        kept = nextIndex - 1
        for record in records where record.log == log {
            switch record {
            case .event(let event) where event.index >= nextIndex:
                expected[event.index] = event.hash
                last = max(last, event.index)
            case .watermark(let watermark): kept = max(kept, watermark.index)
            case .event, .foreign: break
            }
        }
        last = max(last, kept)
    }

    /// Whether Kafka names numbers at or above the cursor: the last record of each partition does
    /// not show them all.
    package var needsMore: Bool { names(atOrAbove: next) }

    /// Whether Kafka names such numbers.
    package func names(atOrAbove index: Int64) -> Bool { last >= index }

    /// What a watermark names must be there to be compared: what is not, nobody can vouch for.
    ///
    /// Above the watermarks there may be holes, left by a relay that died while it published.
    package func verifiable() throws(LostHistory) {
        guard next <= kept else { return }
        for index in next...kept where expected[index] == nil { throw LostHistory(index: index) }
    }

    /// Compares rows about to be published.
    package mutating func compare(_ rows: [NumberedRow]) throws(LostHistory) {
        guard !expected.isEmpty else { return }
        for row in rows {
            guard let hash = expected.removeValue(forKey: row.index) else { continue }
            guard hash == row.row.hash else { throw LostHistory(index: row.index) }
        }
    }

    /// No further row is below the fence: what Kafka has beyond `nextIndex` is not there.
    package func drained(nextIndex: Int64) throws(LostHistory) {
        guard nextIndex > last else { throw LostHistory(index: nextIndex) }
    }
}
