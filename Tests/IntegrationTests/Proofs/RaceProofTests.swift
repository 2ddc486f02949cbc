import Postgres
import Runtime
import TestSupport
import Testing

/// Writers that all want the same streams; the relay's read goes on beside them.
@Suite("Racing appends", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct RaceProofTests {
    private static let writers = 8
    private static let commandsPerBatch = 32
    private static let batches = 30
    private static let codes = 1200

    /// What the writers were told.
    private struct Told: Sendable {
        var accepted: [RawAppend.ID] = []
        var refused = 0
    }

    @Test("are in or out as a whole, as told; the relay's read loses and reorders nothing")
    func race() async throws {
        try await TestDatabase.with { database in
            let setup = try await database.connect()
            let codes = try await Self.openCodes(on: setup)
            let isDone = Guarded(false)
            async let seen = FencedRead.all(of: database, until: isDone)
            let told = try await withThrowingTaskGroup(of: Told.self) { group in
                for writer in 0..<Self.writers {
                    group.addTask { try await Self.write(UInt64(writer), codes, database) }
                }
                return try await group.reduce(into: Told()) {
                    $0.accepted += $1.accepted
                    $0.refused += $1.refused
                }
            }
            isDone.replace(with: true)
            #expect(told.accepted.count > 300)
            #expect(told.refused > 300)
            try await Self.check(told, on: setup)
            try await Self.check(try await seen, on: setup)
        }
    }

    private static func openCodes(on connection: Connection) async throws -> [RawAppend.ID] {
        var ids = IDSource()
        let codes = (0..<Self.codes).map { _ in ids.next() }
        for start in stride(from: 0, to: codes.count, by: 200) {
            let part = Array(codes[start..<min(start + 200, codes.count)])
            #expect(try await connection.append(.opening(part)).isEmpty)
        }
        return codes
    }

    /// Batches whose commands overlap, within a batch and between writers.
    private static func write(
        _ writer: UInt64,
        _ codes: [RawAppend.ID],
        _ database: TestDatabase
    ) async throws -> Told {
        let connection = try await database.connect(as: "token_issuer")
        var ids = IDSource()
        var told = Told()
        for batch in 0..<batches {
            var call = RawAppend()
            var tags: [RawAppend.ID] = []
            for ordinal in 0..<commandsPerBatch {
                let kind = ids.number(below: 10)
                // The kind leads, so that SQL can tell what each command had to write.
                let tag = (
                    UInt64(kind) << 56 | writer << 40 | UInt64(batch) << 16 | UInt64(ordinal),
                    UInt64.random(in: .min ... .max)
                )
                tags.append(tag)
                let base = batch * (codes.count - 80) / batches
                let first = codes[base + ids.number(below: 80)]
                let second = codes[base + ids.number(below: 80)]
                for (stream, versions) in plan(kind, first, second, ids.next(), ids.next()) {
                    for version in versions {
                        call.rows.append(
                            RawAppend.Row(
                                command: Int32(ordinal),
                                stream: stream,
                                expected: Int32(versions.lowerBound) - 1,
                                version: Int32(version),
                                tag: tag
                            )
                        )
                    }
                }
            }
            let refused = try await retrying { () async throws(PostgresError) in
                try await connection.append(call)
            }
            for (ordinal, tag) in tags.enumerated() where !refused.contains(Int32(ordinal)) {
                told.accepted.append(tag)
            }
            told.refused += refused.count
        }
        return told
    }

    /// Which versions of which streams a kind of command writes.
    private static func plan(
        _ kind: Int,
        _ code: RawAppend.ID,
        _ other: RawAppend.ID,
        _ grant: RawAppend.ID,
        _ fresh: RawAppend.ID
    ) -> [(RawAppend.ID, ClosedRange<Int>)] {
        switch kind {
        case 0...5: [(code, 2...2), (grant, 1...1)]
        case 6: [(code, 2...3), (grant, 1...2)]
        case 7 where code != other: [(code, 2...2), (other, 2...2), (grant, 1...1)]
        case 8: [(fresh, 1...3)]
        default: [(code, 2...2)]
        }
    }

    private static func retrying(
        _ body: () async throws(PostgresError) -> Set<Int32>
    ) async throws -> Set<Int32> {
        for _ in 0..<60 {
            do throws(PostgresError) { return try await body() } catch {
                guard error.state?.isRetryable == true else { throw error }
            }
        }
        throw PostgresError.overloaded
    }

    private static func check(_ told: Told, on connection: Connection) async throws {
        let accepted = Statement(
            once: """
                SELECT count(*) FROM unnest($1::uuid[]) AS told (tag)
                 WHERE NOT EXISTS (SELECT FROM es.events WHERE grant_id = tag)
                """,
            [.uuids(told.accepted)]
        ) { row throws(PostgresError) in try row.int8(0) }
        #expect(try await connection.query(accepted, deadline: .soon) == [0], "told in, is out")
        let present = Statement(
            once: """
                SELECT count(*) FROM es.events
                 WHERE grant_id IS NOT NULL AND grant_id <> ALL ($1::uuid[])
                """,
            [.uuids(told.accepted)]
        ) { row throws(PostgresError) in try row.int8(0) }
        #expect(try await connection.query(present, deadline: .soon) == [0], "told out, is in")
        let gaps = """
            SELECT count(*) FROM (SELECT FROM es.events GROUP BY stream_id
                                  HAVING max(version) <> count(*)) AS gaps
            """
        #expect(try await connection.count(gaps) == 0)
        let halves = """
            SELECT count(*) FROM (
              SELECT left(grant_id::text, 2)::int AS kind, count(*) AS rows
                FROM es.events WHERE grant_id IS NOT NULL GROUP BY grant_id) AS commands
             WHERE rows <> CASE WHEN kind <= 5 THEN 2 WHEN kind = 6 THEN 4 WHEN kind = 7 THEN 3
                                WHEN kind = 8 THEN 3 ELSE 1 END
               AND NOT (kind = 7 AND rows = 1)
            """
        #expect(try await connection.count(halves) == 0, "half of a command")
    }

    private static func check(
        _ seen: [FencedRead.Seen],
        on connection: Connection
    ) async throws {
        let written = try await connection.count("SELECT count(*) FROM es.events")
        #expect(seen.count == Int(written))
        var versions: [String: Int32] = [:]
        var violations = 0
        for event in seen {
            let last = versions[event.stream] ?? 0
            if event.version != last + 1 { violations += 1 }
            versions[event.stream] = event.version
        }
        #expect(violations == 0, "an event is lost, twice, or before its predecessor")
    }
}
