import Postgres
import Runtime
import TestSupport
import Testing

/// Two writers open one stream: who is second finds out by the unique key (decision 0103).
@Suite("Two open one stream", .timeLimit(.minutes(1)), .keepsClusterOnFailure)
struct OpeningRaceTests {
    @Test(
        "the commands beside the one that lost are in or out by themselves",
        arguments: [true, false]
    )
    func batch(isFirstCommitted: Bool) async throws {
        try await TestDatabase.with { database in
            let setup = try await database.connect()
            let first = try await database.connect(as: "token_issuer")
            let second = try await database.connect(as: "token_issuer")
            var ids = IDSource()
            let (guarded, contested) = (ids.next(), ids.next())
            let (beside, free, stale) = (ids.next(), ids.next(), ids.next())
            #expect(try await setup.append(.opening([guarded])).isEmpty)
            try await first.begin()
            #expect(try await first.append(.opening([contested])).isEmpty)

            var call = RawAppend()
            for (command, stream) in [(0, contested), (0, beside), (1, free), (2, stale)] {
                let row = RawAppend.Row(
                    command: Int32(command),
                    stream: stream,
                    expected: 0,
                    version: 1
                )
                call.rows.append(row)
            }
            call.guards = [(0, 1), (1, 1), (2, 7)].map { command, version in
                RawAppend.Guard(command: command, stream: guarded, version: version)
            }
            let sent = call
            async let refused = second.append(sent)
            try await database.untilOneWaits()
            let end = isFirstCommitted ? "COMMIT" : "ROLLBACK"
            try await first.run(script: Array(end.utf8), deadline: .soon)

            #expect(try await refused == (isFirstCommitted ? [0, 2] : [2]))
            let written = isFirstCommitted ? [contested, free] : [contested, beside, free]
            #expect(
                try await Self.present([contested, beside, free, stale], setup) == written.count
            )
            #expect(try await Self.present(written, setup) == written.count)
        }
    }

    @Test("nothing else about a row of the log is unique: a duplicate is a race that was lost")
    func key() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            let most = """
                SELECT max(keys) FROM (
                  SELECT count(*) FILTER (WHERE i.indisunique OR i.indisexclusion) AS keys
                    FROM pg_partition_tree('es.events') AS t
                    JOIN pg_index AS i ON i.indrelid = t.relid
                   GROUP BY t.relid) AS partitions
                """
            #expect(try await connection.count(most) == 1)
            let constraints = """
                SELECT count(*) FROM pg_constraint
                 WHERE conrelid = 'es.events'::regclass AND contype IN ('u', 'x')
                """
            #expect(try await connection.count(constraints) == 0)
        }
    }

    private static func present(_ streams: [RawAppend.ID], _ connection: Connection)
        async throws -> Int
    {
        let statement = Statement(
            once: "SELECT count(*) FROM es.events WHERE stream_id = ANY ($1::uuid[])",
            [.uuids(streams)]
        ) { row throws(PostgresError) in try row.int8(0) }
        return Int(try #require(try await connection.query(statement, deadline: .soon).first))
    }
}
