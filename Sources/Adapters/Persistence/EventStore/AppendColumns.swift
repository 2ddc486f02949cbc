internal import Domain
internal import EventFormat
internal import Issuing
internal import Postgres

/// The parameters of one append call, a column each, filled row by row in one pass.
struct AppendColumns {
    private var ordinals: [Int32] = []
    private var projects: [Int16] = []
    private var streams: [(UInt64, UInt64)] = []
    private var expected: [Int32] = []
    private var versions: [Int32] = []
    private var types: [Int16] = []
    private var times: [Int64] = []
    private var commands: [(UInt64, UInt64)] = []
    private var actors: [(UInt64, UInt64)?] = []
    private var subjects: [(UInt64, UInt64)?] = []
    private var clients: [(UInt64, UInt64)?] = []
    private var sessions: [(UInt64, UInt64)?] = []
    private var hashes: [[UInt8]] = []
    private var payloads: [[UInt8]] = []
    private var metadata: [[UInt8]] = []
    private var guardable: [(UInt64, UInt64)] = []
    private var guardOrdinals: [Int32] = []
    private var guardStreams: [(UInt64, UInt64)] = []
    private var guardVersions: [Int32] = []

    init(_ batch: AppendBatch) {
        reserve(batch.rowCount)
        var ordinal: Int32 = 0
        for append in batch.appends {
            let command = append.command
            // By places, as in `EventEncoder`.
            let rows = command.rows.span
            for index in rows.indices { add(rows[index], of: ordinal) }
            // No two commands of a batch append to one stream, so each comes once.
            for stream in command.streams { guardable.append(stream.halves) }
            for held in command.guards {
                guardOrdinals.append(ordinal)
                guardStreams.append(held.stream.halves)
                guardVersions.append(held.version)
            }
            ordinal += 1
        }
    }

    private mutating func reserve(_ rows: Int) {
        ordinals.reserveCapacity(rows)
        projects.reserveCapacity(rows)
        streams.reserveCapacity(rows)
        expected.reserveCapacity(rows)
        versions.reserveCapacity(rows)
        types.reserveCapacity(rows)
        times.reserveCapacity(rows)
        commands.reserveCapacity(rows)
        actors.reserveCapacity(rows)
        subjects.reserveCapacity(rows)
        clients.reserveCapacity(rows)
        sessions.reserveCapacity(rows)
        hashes.reserveCapacity(rows)
        payloads.reserveCapacity(rows)
        metadata.reserveCapacity(rows)
    }

    private mutating func add(_ row: EncodedCommand.Row, of ordinal: Int32) {
        ordinals.append(ordinal)
        projects.append(row.event.project.value)
        streams.append(row.event.stream.halves)
        expected.append(row.expected)
        versions.append(row.event.version)
        types.append(row.event.type)
        times.append(row.event.columns.occurredAt.microseconds)
        commands.append(row.event.command.stream.halves)
        actors.append(row.event.actor?.halves)
        subjects.append(row.event.columns.subject?.stream.halves)
        clients.append(row.event.columns.client?.halves)
        sessions.append(row.event.columns.session?.stream.halves)
        hashes.append(row.hash.digest.bytes)
        payloads.append(row.event.payload)
        metadata.append(row.event.metadata)
    }

    /// In the order of `es.append`.
    var parameters: [Parameter] {
        [
            .int4s(ordinals), .int2s(projects), .uuids(streams), .int4s(expected),
            .int4s(versions), .int2s(types), .timestamps(times), .uuids(commands),
            .optionalUUIDs(actors), .optionalUUIDs(subjects), .optionalUUIDs(clients),
            .optionalUUIDs(sessions), .byteStrings(hashes), .byteStrings(payloads),
            .byteStrings(metadata), .uuids(guardable), .int4s(guardOrdinals),
            .uuids(guardStreams), .int4s(guardVersions),
        ]
    }
}
