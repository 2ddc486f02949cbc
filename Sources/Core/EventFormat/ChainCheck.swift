package import Domain

/// Follows the hash chains of a log that comes in the order of its streams (Events 6).
///
/// A stream stands in one partition and is dropped with it as a whole: what is there of one begins
/// with version 1. It keeps the last event alone, however long the log is.
package struct ChainCheck: Sendable {
    /// A row of the log.
    package struct Row: Sendable {
        package var stream: StreamID
        package var version: Int32
        package var position: Int64
        /// With all that is hashed of it; nil: a column has what no program writes.
        package var event: StoredEvent?
        /// Nil: it is none.
        package var hash: EventHash?

        package init(
            stream: StreamID,
            version: Int32,
            position: Int64,
            event: StoredEvent?,
            hash: EventHash?
        ) {
            self.stream = stream
            self.version = version
            self.position = position
            self.event = event
            self.hash = hash
        }
    }

    /// Hashes that the next event of a stream may have been linked to.
    private struct Link: Sendable {
        /// As many as are kept behind events that differ, one after another.
        static let reckonedMax = 3

        var stream: StreamID
        var version: Int32
        /// As it stands in the log.
        var stored: EventHash?
        /// As it should be, where that is another: then the next one tells which of the two was
        /// changed, and is none to be told of itself.
        var reckoned: [EventHash] = []

        init(_ row: Row, reckoned: [EventHash] = []) {
            stream = row.stream
            version = row.version
            stored = row.hash
            self.reckoned = reckoned.suffix(Self.reckonedMax)
        }

        var all: [EventHash?] {
            let known = stored.map { [$0] + reckoned } ?? reckoned
            return known.map(Optional.some)
        }
    }

    /// Events and streams that have come.
    package private(set) var eventCount: Int64 = 0
    package private(set) var streamCount: Int64 = 0
    private let sha256: @Sendable ([UInt8]) -> TokenDigest
    private var last: Link?

    /// `sha256`: this target computes nothing cryptographic.
    package init(sha256: @escaping @Sendable ([UInt8]) -> TokenDigest) { self.sha256 = sha256 }

    /// Takes the next row, by stream and version; answers what differs in it, if anything does.
    package mutating func take(_ row: Row) -> LogDifference? {
        let before = last.flatMap { $0.stream == row.stream ? $0 : nil }
        eventCount += 1
        if before == nil { streamCount += 1 }
        guard row.version == (before?.version ?? 0) &+ 1 else {
            // Behind a gap nothing says what it was linked to.
            last = Link(row)
            return LogDifference(.gap, in: row)
        }
        guard let event = row.event, let stored = row.hash else {
            last = Link(row)
            return LogDifference(.content, in: row)
        }
        let links = before?.all ?? [nil]
        let hashes = links.map { HashChain.hash(of: event, after: $0, sha256: sha256) }
        // Without a hash before it there is nothing to compare with.
        if hashes.isEmpty || hashes.contains(stored) {
            last = Link(row)
            return nil
        }
        last = Link(row, reckoned: hashes)
        return LogDifference(.content, in: row)
    }
}

extension LogDifference {
    fileprivate init(_ kind: Kind, in row: ChainCheck.Row) {
        self.init(kind, of: row.stream, version: row.version, position: row.position)
    }
}
