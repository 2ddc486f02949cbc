import Domain
import EventFormat
import Foundation
import Issuing
import Postgres
import Runtime
import TestSupport

/// Puts events into a log through `es.append`, as an issuer would.
struct LogFiller: Sendable {
    struct Row: Sendable {
        var stream: StreamID
        var version: Int32
        var body: DomainEvent
        var columns: StoredColumns
        var project = LogFiller.project
    }

    static let project = Sample.number(1)
    static let projectName = Sample.project("shop")

    let database: TestDatabase

    /// The configuration of the project everything belongs to; first of all.
    func addProject(
        _ document: [UInt8] = Array("id: shop\n".utf8),
        to stream: StreamID = configuration
    ) async throws {
        try await configure(applied(document), version: 1, of: stream)
    }

    static let configuration = StreamID(high: 0xC000_0000_0000_8000, low: 0x8000_0000_0000_0001)

    func applied(_ document: [UInt8]) -> ProjectConfig.Event {
        let applied = ProjectConfig.Applied(
            id: Self.projectName,
            digest: Sample.digest(1),
            document: document
        )
        return .applied(applied, changed: ["id"])
    }

    /// The next version of a project's configuration.
    func configure(
        _ event: ProjectConfig.Event,
        version: Int32,
        of stream: StreamID = configuration,
        as project: ProjectNumber = project
    ) async throws {
        try await append([
            Row(
                stream: stream,
                version: version,
                body: .projectConfig(event),
                columns: StoredColumns(occurredAt: Self.now),
                project: project
            )
        ])
    }

    /// A key that signs, staged and promoted.
    func addKey(_ key: GeneratedKey, to stream: StreamID) async throws {
        let events: [SigningKeyRing.Event] = [
            .staged(kid: key.kid, key.algorithm, publicKey: key.publicKey, at: Self.now),
            .promoted(kid: key.kid, emergency: true),
        ]
        try await append(
            events.enumerated().map { index, event in
                Row(
                    stream: stream,
                    version: Int32(index + 1),
                    body: .signingKey(event),
                    columns: StoredColumns(occurredAt: Self.now)
                )
            }
        )
    }

    static var now: Instant { Instant(microseconds: WallTime.nowMicroseconds()) }

    /// A new id of class T.
    static func newStream() -> StreamID {
        let milliseconds = UInt64(WallTime.nowMicroseconds() / 1000)
        return StreamID(
            high: milliseconds << 16 | 0x7000 | UInt64.random(in: 0..<0x1000),
            low: 0x8000_0000_0000_0000 | UInt64.random(in: 0..<(1 << 62))
        )
    }

    /// The versions of one session: opened, seen again and again, its end last.
    static func session(_ stream: StreamID, versions: ClosedRange<Int32>, ends: Bool) -> [Row] {
        versions.map { version in
            let isLast = ends && version == versions.upperBound
            let event: BrowserSession.Event =
                version == 1 ? opened(by: stream) : isLast ? .ended(.logout) : .seen(at: now)
            return Row(
                stream: stream,
                version: version,
                body: .browserSession(event),
                columns: StoredColumns(
                    occurredAt: now,
                    subject: SubjectID(stream),
                    session: SessionID(stream)
                )
            )
        }
    }

    private static func opened(by stream: StreamID) -> BrowserSession.Event {
        .opened(
            BrowserSession.Session(
                subject: SubjectID(stream),
                authentication: Authentication(methods: [.otp], at: now),
                cookie: Sample.digest(3),
                parent: Parent(kind: .loginLink, stream: stream),
                openedAt: now,
                expiresAt: now.adding(seconds: 86_400),
                idleMilliseconds: 3_600_000
            )
        )
    }

    /// Appends rows in one call, those of a stream as one command; counts the refused commands.
    ///
    /// Rows of a stream follow each other.
    @discardableResult
    func append(_ rows: [Row], on connection: Connection? = nil) async throws -> Int {
        let connection =
            if let connection { connection } else {
                try await database.connect(as: "token_issuer")
            }
        let events = rows.map { ($0, EventFormat.encode($0.body)) }
        let streams = rows.map(\.stream)
        let ordinals = streams.map { Int32(streams.firstIndex(of: $0) ?? 0) }
        let metadata = EventMetadata(
            actor: .system,
            correlation: Sample.stream(0xC1),
            node: "test"
        ).encoded()
        let refused = try await connection.execute(
            Statement(
                once: """
                    SELECT es.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                                     $15, $16, '{}'::int[], '{}'::uuid[], '{}'::int[])
                    """,
                [
                    .int4s(ordinals),
                    .int2s(rows.map(\.project.value)),
                    .uuids(rows.map { ($0.stream.high, $0.stream.low) }),
                    .int4s(ordinals.map { rows[Int($0)].version - 1 }),
                    .int4s(rows.map(\.version)),
                    .int2s(events.map(\.1.type)),
                    .timestamps(rows.map(\.columns.occurredAt.microseconds)),
                    .uuids(
                        rows.map { _ in
                            let id = Self.newStream()
                            return (id.high, id.low)
                        }
                    ),
                    .optionalUUIDs(rows.map { _ in nil }),
                    .optionalUUIDs(rows.map { $0.columns.subject.map(Self.halves) }),
                    .optionalUUIDs(rows.map { _ in nil }),
                    .optionalUUIDs(
                        rows.map { row in
                            row.columns.session.map { ($0.stream.high, $0.stream.low) }
                        }
                    ),
                    .byteStrings(rows.map { _ in (0..<32).map { _ in UInt8.random(in: 0...255) } }),
                    .byteStrings(events.map(\.1.payload)),
                    .byteStrings(rows.map { _ in metadata }),
                    .uuids(rows.map { ($0.stream.high, $0.stream.low) }),
                ]
            ) { row throws(PostgresError) in try row.int4(0) },
            deadline: .soon
        )
        return refused.count
    }

    private static func halves(_ subject: SubjectID) -> (UInt64, UInt64) {
        (subject.stream.high, subject.stream.low)
    }

    /// Every event there is, as `stream:version`.
    func everything() async throws -> Set<String> {
        let connection = try await database.connect()
        defer { connection.close() }
        let rows = try await connection.query(
            .texts("SELECT stream_id || ':' || version FROM es.events"),
            deadline: .soon
        )
        return Set(rows)
    }
}
