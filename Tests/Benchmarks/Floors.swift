import Crypto
import Domain
import Foundation
import Issuing
import Postgres
import Runtime

/// The parts no answer can do without, each measured alone, on the server CPU.
final class Floors {
    /// A command as the issuer wrote it: its rows, and how many streams it guards.
    struct Template {
        struct Row: Sendable {
            var stream: StreamID
            var version: Int32
            var type: Int16
            var payload: [UInt8]
            var metadata: [UInt8]
        }

        var rows: [Row]
        /// The first event of each stream that the command did not open.
        var openings: [StreamID: Row]
        /// Of each command of a batch.
        var guards: [[StreamGuard]]
    }

    private let stack: Stack
    private let loop: Loop
    private let appender: ConnectionKeeper
    private let owner: ConnectionKeeper
    private let appendSQL: [UInt8]
    private let headsSQL: [UInt8]

    init(_ stack: Stack, on loop: Loop) throws {
        self.stack = stack
        self.loop = loop
        appender = ConnectionKeeper(stack.connection(as: "token_issuer"), on: loop)
        owner = ConnectionKeeper(stack.connection(as: "postgres"), on: loop)
        appender.start()
        owner.start()
        let sql = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Adapters/Persistence/SQL").path
        appendSQL = Array(try Data(contentsOf: URL(filePath: "\(sql)/append_events.sql")))
        headsSQL = Array(try Data(contentsOf: URL(filePath: "\(sql)/stream_heads.sql")))
    }

    /// Returns once both connections stand: a busy CPU may take its time.
    func connect() async throws {
        let end = MonotonicInstant.now().advanced(by: .seconds(20))
        while !(appender.isConnected && owner.isConnected), MonotonicInstant.now() < end {
            try await loop.sleep(until: MonotonicInstant.now().advanced(by: .milliseconds(20)))
        }
    }

    func stop() {
        appender.stop()
        owner.stop()
    }

    private var deadline: MonotonicInstant { .now().advanced(by: .seconds(20)) }

    // MARK: Signatures

    /// Microseconds of one ES256 signature and of one verification.
    func signatures() throws -> (sign: Double, verify: Double) {
        let key = try SigningKey.generate(.es256)
        let verifier = try VerificationKey(key.publicKey, for: .es256)
        let message = [UInt8](repeating: 0x61, count: 700)
        let signature = try key.sign(message)
        let sign = try cost(of: 4_000) { _ = try key.sign(message) }
        let verify = try cost(of: 2_000) {
            guard verifier.accepts(signature, of: message) else {
                throw Subprocess.Failed(description: "the signature is not valid")
            }
        }
        return (sign, verify)
    }

    private func cost(of count: Int, _ body: () throws -> Void) throws -> Double {
        for _ in 0..<200 { try body() }
        let before = Machine.cpuNanoseconds(of: ThisProcess.number)
        for _ in 0..<count { try body() }
        let spent = Machine.cpuNanoseconds(of: ThisProcess.number) - before
        return Double(spent) / Double(count) / 1000
    }

    // MARK: Appends

    /// The newest command that wrote an event of `type`.
    func template(type: Int16, guards: [[StreamGuard]]) async throws -> Template {
        let rows = try await rows(
            """
            e.command_id = (SELECT command_id FROM es.events WHERE type = $1
                             ORDER BY occurred_at DESC LIMIT 1)
            """,
            .int2(type)
        )
        let streams = Set(rows.filter { $0.version > 1 }.map(\.stream))
        let openings = try await self.rows(
            "e.stream_id = ANY ($1) AND e.version = 1",
            .uuids(streams.map { ($0.high, $0.low) })
        )
        return Template(
            rows: rows,
            openings: Dictionary(openings.map { ($0.stream, $0) }) { first, _ in first },
            guards: guards
        )
    }

    private func rows(_ condition: String, _ parameter: Parameter) async throws -> [Template.Row] {
        try await owner.query(
            Statement<Template.Row>(
                once: """
                    SELECT e.stream_id, e.version, e.type, e.payload, e.metadata
                      FROM es.events AS e WHERE \(condition) ORDER BY e.stream_id, e.version
                    """,
                [parameter]
            ) { row throws(PostgresError) in
                let (high, low) = try row.uuid(0)
                return Template.Row(
                    stream: StreamID(high: high, low: low),
                    version: try row.int4(1),
                    type: try row.int2(2),
                    payload: try row.bytes(3),
                    metadata: try row.bytes(4)
                )
            },
            deadline: deadline
        )
    }

    /// The newest version of a stream.
    func version(of stream: StreamID) async throws -> Int32 {
        try await owner.query(
            Statement<Int32>(headsSQL, [.uuids([(stream.high, stream.low)])]) {
                row throws(PostgresError) in try row.int4(0)
            },
            deadline: deadline
        ).first ?? 0
    }

    /// Microseconds of a bare grouped append, per command, client and server together.
    func append(_ template: Template, batch: Int, seconds: Double) async throws -> Double {
        var slots = (0..<batch).map { _ in Slot(template) }
        _ = try await call(&slots, template, isFirst: true)
        for _ in 0..<20 { _ = try await call(&slots, template) }
        let mine = Machine.cpuNanoseconds(of: ThisProcess.number)
        let postgres = FamilyTime(of: stack.postgresProcess)
        let end = MonotonicInstant.now().advanced(by: .seconds(seconds))
        var commands = 0
        while MonotonicInstant.now() < end { commands += try await call(&slots, template) }
        let spent =
            Machine.cpuNanoseconds(of: ThisProcess.number) - mine
            + FamilyTime(of: stack.postgresProcess).spent(since: postgres)
        return Double(spent) / Double(commands) / 1000
    }

    /// The streams one command of the batch writes, round after round.
    private struct Slot {
        /// By stream of the template: what stands for it and its head.
        var streams: [StreamID: (id: StreamID, head: Int32)] = [:]

        init(_ template: Template) {
            for row in template.rows where streams[row.stream] == nil {
                streams[row.stream] = (Self.another(row.stream), 0)
            }
        }

        /// Of the same class and time.
        static func another(_ stream: StreamID) -> StreamID {
            let random = UInt64.random(in: 0...UInt64.max) & 0x3FFF_FFFF_FFFF_FFFF
            return StreamID(high: stream.high, low: 0x8000_0000_0000_0000 | random)
        }
    }

    private struct Columns {
        var ordinals: [Int32] = []
        var streams: [(UInt64, UInt64)] = []
        var expected: [Int32] = []
        var versions: [Int32] = []
        var types: [Int16] = []
        var payloads: [[UInt8]] = []
        var metadata: [[UInt8]] = []
        var guardOrdinals: [Int32] = []
        var guardStreams: [(UInt64, UInt64)] = []
        var guardVersions: [Int32] = []

        mutating func append(
            _ row: Template.Row,
            to place: (id: StreamID, head: Int32),
            after expected: Int32,
            of ordinal: Int32
        ) {
            ordinals.append(ordinal)
            streams.append((place.id.high, place.id.low))
            self.expected.append(expected)
            versions.append(place.head)
            types.append(row.type)
            payloads.append(row.payload)
            metadata.append(row.metadata)
        }
    }

    private func call(_ slots: inout [Slot], _ template: Template, isFirst: Bool = false)
        async throws -> Int
    {
        var columns = Columns()
        for index in slots.indices {
            fill(&columns, Int32(index), &slots[index], template, isFirst)
        }
        let count = columns.ordinals.count
        let id = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max))
        let hash = [UInt8](repeating: 7, count: 32)
        let none = [(UInt64, UInt64)?](repeating: nil, count: count)
        let refused = try await appender.execute(
            Statement<Int32>(
                appendSQL,
                [
                    .int4s(columns.ordinals), .int2s([Int16](repeating: 1, count: count)),
                    .uuids(columns.streams), .int4s(columns.expected), .int4s(columns.versions),
                    .int2s(columns.types),
                    .timestamps([Int64](repeating: WallTime.nowMicroseconds(), count: count)),
                    .uuids([(UInt64, UInt64)](repeating: id, count: count)),
                    .optionalUUIDs(none),
                    .optionalUUIDs([(UInt64, UInt64)?](repeating: id, count: count)),
                    .optionalUUIDs([(UInt64, UInt64)?](repeating: id, count: count)),
                    .optionalUUIDs([(UInt64, UInt64)?](repeating: id, count: count)),
                    .byteStrings([[UInt8]](repeating: hash, count: count)),
                    .byteStrings(columns.payloads), .byteStrings(columns.metadata),
                    .uuids(slots.flatMap { $0.streams.values.map { ($0.id.high, $0.id.low) } }),
                    .int4s(columns.guardOrdinals), .uuids(columns.guardStreams),
                    .int4s(columns.guardVersions),
                ]
            ) { row throws(PostgresError) in try row.int4(0) },
            deadline: deadline
        )
        guard refused.isEmpty else {
            throw Subprocess.Failed(description: "the bare append was refused: \(refused)")
        }
        return slots.count
    }

    private func fill(
        _ columns: inout Columns,
        _ ordinal: Int32,
        _ slot: inout Slot,
        _ template: Template,
        _ isFirst: Bool
    ) {
        var seen: [StreamID: Int32] = [:]
        for row in template.rows {
            guard var place = slot.streams[row.stream] else { continue }
            // A stream the command opens is a new one each time.
            if row.version == 1, !isFirst { place = (Slot.another(row.stream), 0) }
            let expected = seen[row.stream] ?? place.head
            seen[row.stream] = expected
            // Who follows the log knows a session by its opening.
            if place.head == 0, let opening = template.openings[row.stream] {
                place.head += 1
                columns.append(opening, to: place, after: expected, of: ordinal)
            }
            place.head += 1
            columns.append(row, to: place, after: expected, of: ordinal)
            slot.streams[row.stream] = place
        }
        for held in template.guards[Int(ordinal) % template.guards.count] {
            columns.guardOrdinals.append(ordinal)
            columns.guardStreams.append((held.stream.high, held.stream.low))
            columns.guardVersions.append(held.version)
        }
    }

    // MARK: Head checks

    /// Microseconds of comparing `count` streams with the head of the log, 64 streams a query.
    func headCheck(of streams: [StreamID], perRequest: Int) async throws -> Double {
        let part = streams.prefix(64).map { ($0.high, $0.low) }
        let statement = Statement<Int32>(headsSQL, [.uuids(part)]) {
            row throws(PostgresError) in try row.int4(0)
        }
        for _ in 0..<50 { _ = try await appender.query(statement, deadline: deadline) }
        let mine = Machine.cpuNanoseconds(of: ThisProcess.number)
        let postgres = FamilyTime(of: stack.postgresProcess)
        let rounds = 2_000
        for _ in 0..<rounds { _ = try await appender.query(statement, deadline: deadline) }
        let spent =
            Machine.cpuNanoseconds(of: ThisProcess.number) - mine
            + FamilyTime(of: stack.postgresProcess).spent(since: postgres)
        return Double(spent) / Double(rounds * part.count) * Double(perRequest) / 1000
    }
}
