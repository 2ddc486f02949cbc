internal import Domain
internal import EventFormat
internal import Issuing
internal import Postgres
internal import Runtime

/// Keeps folded states of long streams in `es.snapshots`, so that a load need not fold them from
/// their first event (events.md section 7).
///
/// Never required and never trusted above events: a snapshot counts only when its hash is that of
/// the stream's event at its version, and its MAC ours. Losing one costs time.
final class Snapshots: Sendable {
    /// Events between two snapshots of a stream.
    static let interval: Int32 = 64
    /// Writes under way in this process; more are left out, and come with the stream's next event.
    ///
    /// Few: they share a connection with reads that somebody waits for.
    static let writesMax = 4
    private static let writeMax = Duration.seconds(3)

    private let digester: any Digester
    private let metrics: PersistenceMetrics
    private let writing = Guarded(0)

    init(digester: any Digester, metrics: PersistenceMetrics) {
        self.digester = digester
        self.metrics = metrics
    }

    /// Writes a snapshot of `entry` when the last one is far enough behind; nobody waits for it.
    ///
    /// Returns the entry as it is to be cached.
    func noted(
        _ entry: StateCache.Entry,
        of stream: StreamID,
        over reader: StreamReader
    ) -> StateCache.Entry {
        guard entry.version - entry.snapshotVersion >= Self.interval, begin() else { return entry }
        reader.loop.spawn { [self] in
            await write(entry, of: stream, over: reader)
            writing.withLock { $0 -= 1 }
        }
        var noted = entry
        noted.snapshotVersion = entry.version
        return noted
    }

    /// The state of a snapshot; nil when it is not one of ours, or damaged.
    func state<A: Aggregate>(
        of snapshot: StoredSnapshot,
        at row: LogRow,
        as aggregate: A.Type
    ) -> A.State? {
        guard let format = StateFormat.number(for: aggregate),
            snapshot.hash == row.hash, let mac = TokenDigest(bytes: snapshot.mac)
        else { return nil }
        let message = Self.message(row.stream, row.version, row.hash, format, snapshot.state)
        guard digester.isValid(mac, .snapshot, message) else { return nil }
        return StateFormat.decode(snapshot.state, as: aggregate)
    }

    private func begin() -> Bool {
        writing.withLock { writing in
            guard writing < Self.writesMax else { return false }
            writing += 1
            return true
        }
    }

    private func write(
        _ entry: StateCache.Entry,
        of stream: StreamID,
        over reader: StreamReader
    ) async {
        guard let (format, state) = StateFormat.encode(entry.state) else { return }
        let hash = entry.hash.digest.bytes
        let message = Self.message(stream, entry.version, hash, format, state)
        let mac = digester.mac(.snapshot, message).bytes
        do {
            try await reader.connection.keep(
                StoredSnapshot(hash: hash, state: state, mac: mac),
                of: stream,
                version: entry.version,
                format: format,
                deadline: reader.loop.now.advanced(by: Self.writeMax)
            )
            metrics.snapshotsWritten.add()
        } catch {
            // A lost one is written 64 events later.
        }
    }

    /// All that a snapshot says, each part of a fixed length but the last.
    private static func message(
        _ stream: StreamID,
        _ version: Int32,
        _ hash: [UInt8],
        _ format: Int32,
        _ state: [UInt8]
    ) -> [UInt8] {
        var bytes = stream.bytes
        bytes.reserveCapacity(bytes.count + 40 + state.count)
        for number in [version, format] {
            for shift in stride(from: 24, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> Int32(shift)))
            }
        }
        return bytes + hash + state
    }
}
