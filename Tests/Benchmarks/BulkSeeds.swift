import Crypto
import Domain
import EventFormat
import Foundation
import Issuing
import Runtime

/// Writes sessions with `COPY`: a million of them in minutes.
///
/// Deciders, event format and hash chain are the real ones, so every process reads these streams as
/// its own. `es.append` is passed by: its locks and guards have nothing to decide on new streams.
final class BulkSeeds {
    /// Grant opened, refresh token and access token issued, subject registered, browser session
    /// opened and joined.
    static let eventsPerSession = 6
    private static let sessionsPerCopy = 10_000
    private static let columns = """
        stream_id, version, type, project, occurred_at, command_id, actor_id, subject_id, \
        client_id, grant_id, hash, payload, metadata
        """

    private let stack: Stack
    private let seeds: Seeds
    private let actor: StreamID

    init(_ stack: Stack, _ seeds: Seeds) {
        self.stack = stack
        self.seeds = seeds
        actor = seeds.names.client(seeds.client, in: seeds.project)
    }

    /// Writes `count` sessions; answers `kept` of them, spread evenly.
    func sessions(
        _ count: Int,
        scope: String,
        keeping kept: Int,
        progress: (Int) -> Void
    ) throws -> [Seeds.Session] {
        let stride = max(1, count / max(1, kept))
        var sessions: [Seeds.Session] = []
        for start in Swift.stride(from: 0, to: count, by: Self.sessionsPerCopy) {
            try copy { rows in
                for number in start..<min(start + Self.sessionsPerCopy, count) {
                    let fresh = try seeds.fresh(scope)
                    try append(fresh, to: &rows)
                    if number % stride == 0 { sessions.append(fresh.session) }
                    if rows.count > 1 << 20 { try rows.flush() }
                }
            }
            progress(min(start + Self.sessionsPerCopy, count))
        }
        // What autovacuum would do in the middle of a line.
        for statement in ["VACUUM (ANALYZE) es.events", "CHECKPOINT"] {
            try Subprocess.check("/usr/bin/psql", stack.psql(statement))
        }
        return sessions
    }

    /// One `COPY`, one transaction.
    private func copy(_ fill: (inout Rows) throws -> Void) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/psql")
        process.arguments = stack.psql(
            "COPY es.events (\(Self.columns)) FROM STDIN (FORMAT binary)"
        )
        let input = Pipe()
        process.standardInput = input
        try process.run()
        var rows = Rows(into: input.fileHandleForWriting)
        try fill(&rows)
        try rows.finish()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Subprocess.Failed(description: "COPY into es.events was refused")
        }
    }

    private func append(_ fresh: Seeds.Fresh, to rows: inout Rows) throws {
        let command = CommandID(.timeOrdered(at: fresh.at, from: seeds.entropy))
        let metadata = EventMetadata(actor: .client, correlation: command.stream, node: "seed")
            .encoded()
        for append in fresh.appends {
            var previous: EventHash?
            var version: Int32 = 0
            for event in append.events {
                version += 1
                let (type, payload) = EventFormat.encode(event)
                let stored = StoredEvent(
                    project: seeds.project,
                    stream: append.stream,
                    version: version,
                    type: type,
                    command: command,
                    actor: actor,
                    columns: columns(of: event, in: append, fresh),
                    payload: payload,
                    metadata: metadata
                )
                guard
                    let digest = TokenDigest(
                        bytes: SHA256.hash(HashChain.preimage(of: stored, after: previous))
                    )
                else { throw Subprocess.Failed(description: "no digest") }
                previous = EventHash(digest: digest)
                rows.append(stored, digest.bytes)
            }
        }
    }

    /// As the issuer's encoder fills them.
    private func columns(of event: DomainEvent, in append: StreamAppend, _ fresh: Seeds.Fresh)
        -> StoredColumns
    {
        let isSession = append.kind == .offlineGrant || append.kind == .browserSession
        return StoredColumns(
            occurredAt: event.occurredAt ?? append.occurredAt,
            subject: event.subject ?? fresh.session.subject,
            session: isSession ? SessionID(append.stream) : nil,
            client: event.client.map { seeds.names.client($0, in: seeds.project) }
        )
    }
}

/// Rows in PostgreSQL's binary COPY format.
private struct Rows {
    /// Microseconds from 1970 to 2000, where PostgreSQL begins to count.
    private static let epoch: Int64 = 946_684_800_000_000

    private let file: FileHandle
    private var bytes =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

    init(into file: FileHandle) { self.file = file }

    var count: Int { bytes.count }

    mutating func append(_ event: StoredEvent, _ hash: some Collection<UInt8>) {
        integer(Int16(13))
        uuid(event.stream)
        field(event.version)
        field(event.type)
        field(event.project.value)
        field(event.columns.occurredAt.microseconds - Self.epoch)
        uuid(event.command.stream)
        uuid(event.actor)
        uuid(event.columns.subject?.stream)
        uuid(event.columns.client)
        uuid(event.columns.session?.stream)
        field(hash)
        field(event.payload)
        field(event.metadata)
    }

    mutating func flush() throws {
        try file.write(contentsOf: Data(bytes))
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func finish() throws {
        integer(Int16(-1))
        try flush()
        try file.close()
    }

    private mutating func uuid(_ stream: StreamID?) {
        guard let stream else { return integer(Int32(-1)) }
        integer(Int32(16))
        integer(stream.high)
        integer(stream.low)
    }

    private mutating func field(_ value: some FixedWidthInteger) {
        integer(Int32(value.bitWidth / 8))
        integer(value)
    }

    private mutating func field(_ value: some Collection<UInt8>) {
        integer(Int32(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func integer(_ value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
