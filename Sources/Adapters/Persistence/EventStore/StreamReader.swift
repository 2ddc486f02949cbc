internal import Domain
internal import Issuing
internal import Postgres
internal import Runtime

/// Reads streams and heads for one loop; what a turn asks for goes out in one query.
final class StreamReader: Sendable {
    /// Rows of one stream in one answer; a longer one is read on.
    static let rowsMax = 1000

    private struct HeadCheck: LookUp {
        typealias Answer = [Int32]
        let streams: [StreamID]
    }

    let loop: Loop
    let connection: any LogConnection
    private let loads: LookUpLine<WantedStream>
    private let checks: LookUpLine<HeadCheck>
    private let lookUps: LookUps

    init(over connection: any LogConnection, on loop: Loop) {
        self.connection = connection
        self.loop = loop
        loads = LookUpLine { loads, deadline async throws(StoreError) in
            try await Self.load(loads, over: connection, deadline)
        }
        checks = LookUpLine { checks, deadline async throws(StoreError) in
            try await Self.check(checks, over: connection, deadline)
        }
        lookUps = LookUps([loads, checks], on: loop)
    }

    /// The events of a stream after a version, oldest first, at most `rowsMax`; from the event
    /// of its snapshot on, when there is one of the format wanted.
    func rows(
        of wanted: WantedStream,
        by deadline: Deadline
    ) async throws(StoreError) -> StreamRows {
        try await lookUps.answer(to: wanted, in: loads, by: deadline)
    }

    /// The newest versions of streams, at most 64, not older than this call.
    func heads(
        of streams: [StreamID],
        by deadline: Deadline
    ) async throws(StoreError) -> [Int32] {
        guard !streams.isEmpty else { return [] }
        return try await lookUps.answer(to: HeadCheck(streams: streams), in: checks, by: deadline)
    }

    // MARK: Queries

    private static func load(
        _ loads: [WantedStream],
        over connection: any LogConnection,
        _ deadline: Deadline
    ) async throws(StoreError) -> LookUpLine<WantedStream>.Reading {
        let wanted = merged(loads)
        let rows: [StreamRow]
        do throws(PostgresError) {
            rows = try await connection.rows(
                of: Array(wanted.values),
                deadline: MonotonicInstant(deadline)
            )
        } catch { throw .unavailable }
        let streams = Dictionary(grouping: rows, by: \.stream)
        return { load in
            let found = streams[load.stream] ?? []
            let isExact = wanted[load.stream]?.after == load.after
            return StreamRows(
                rows: isExact ? found : found.filter { $0.version > load.after },
                // Of all that was read, not of what is left of it for this one.
                isAll: found.count < rowsMax
            )
        }
    }

    /// The same stream twice is asked once; from a snapshot on only when that suits all.
    private static func merged(_ loads: [WantedStream]) -> [StreamID: WantedStream] {
        var merged: [StreamID: WantedStream] = [:]
        for wanted in loads {
            guard let other = merged[wanted.stream] else {
                merged[wanted.stream] = wanted
                continue
            }
            merged[wanted.stream]?.after = min(wanted.after, other.after)
            if wanted.after != other.after || wanted.format != other.format {
                merged[wanted.stream]?.format = nil
            }
        }
        return merged
    }

    private static func check(
        _ checks: [HeadCheck],
        over connection: any LogConnection,
        _ deadline: Deadline
    ) async throws(StoreError) -> LookUpLine<HeadCheck>.Reading {
        // Most rest on the same configuration: a stream is looked up once for all of them.
        var streams: [StreamID] = []
        var seen: Set<StreamID> = []
        for stream in checks.lazy.flatMap(\.streams) where seen.insert(stream).inserted {
            streams.append(stream)
        }
        let heads: [Int32]
        do throws(PostgresError) {
            heads = try await connection.heads(of: streams, deadline: MonotonicInstant(deadline))
        } catch { throw .unavailable }
        guard heads.count == streams.count else { throw .unavailable }
        let all = Dictionary(uniqueKeysWithValues: zip(streams, heads))
        return { check in check.streams.map { all[$0] ?? 0 } }
    }
}

/// Rows of one stream.
struct StreamRows: Sendable {
    let rows: [StreamRow]
    /// Whether the stream had no more when it was read.
    let isAll: Bool
}

extension WantedStream: LookUp {
    typealias Answer = StreamRows
    var streams: [StreamID] { [stream] }
}
