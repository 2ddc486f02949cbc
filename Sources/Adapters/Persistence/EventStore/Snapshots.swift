internal import Domain
internal import EventFormat
internal import Issuing
internal import Postgres
internal import Runtime

/// Keeps folded states of long streams in `es.snapshots`, so that a load need not fold them from
/// their first event (Events 7).
///
/// Never required and never trusted above events: a snapshot counts only when its hash is that of
/// the stream's event at its version, and its MAC ours. Losing one costs time.
final class Snapshots: Sendable {
    /// Events between two snapshots of a stream.
    static let interval: Int32 = 64

    private let digester: any Digester
    private let writers: [SnapshotWriter]

    /// Each loop writes over the connection that it reads through, to the server that
    /// `currentServer` numbers.
    init(
        digester: any Digester,
        over connections: [(loop: Loop, connection: any LogConnection)],
        metrics: PersistenceMetrics,
        currentServer: @escaping @Sendable () -> Int
    ) {
        self.digester = digester
        writers = connections.map { loop, connection in
            SnapshotWriter(
                over: connection,
                on: loop,
                currentServer: currentServer,
                digester: digester,
                metrics: metrics
            )
        }
    }

    /// Has a snapshot of `entry` written when the last one is far enough behind; nobody waits.
    ///
    /// Returns the entry as it is to be cached.
    func noted(_ entry: StateCache.Entry, of stream: StreamID) -> StateCache.Entry {
        guard entry.version - entry.snapshotVersion >= Self.interval,
            let current = Loop.current,
            let writer = writers.first(where: { $0.loop === current }),
            writer.takes(entry, of: stream)
        else { return entry }
        var noted = entry
        noted.snapshotVersion = entry.version
        return noted
    }

    /// The state of a snapshot; nil when it is not one of ours, or damaged.
    func state<A: Aggregate>(
        of snapshot: StoredSnapshot,
        at row: StreamRow,
        as aggregate: A.Type
    ) -> A.State? {
        guard let format = StateFormat.number(for: aggregate),
            snapshot.hash == row.hash, let mac = TokenDigest(bytes: snapshot.mac)
        else { return nil }
        let message = Self.message(row.stream, row.version, row.hash, format, snapshot.state)
        guard digester.isValid(mac, .snapshot, message) else { return nil }
        return StateFormat.decode(snapshot.state, as: aggregate)
    }

    /// The snapshot of an entry; nil when its state is not one that can be kept.
    static func sealed(
        _ entry: StateCache.Entry,
        of stream: StreamID,
        by digester: any Digester
    ) -> KeptSnapshot? {
        guard let (format, state) = StateFormat.encode(entry.state) else { return nil }
        let hash = entry.hash.digest.bytes
        let message = message(stream, entry.version, hash, format, state)
        return KeptSnapshot(
            stream: stream,
            version: entry.version,
            format: format,
            stored: StoredSnapshot(
                hash: hash,
                state: state,
                mac: digester.mac(.snapshot, message).bytes
            )
        )
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
        bytes.append(bigEndian: UInt32(bitPattern: version))
        bytes.append(bigEndian: UInt32(bitPattern: format))
        return bytes + hash + state
    }
}
