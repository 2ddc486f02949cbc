import Postgres
import Runtime
import TestSupport
import Testing

@Suite("A statement whose preparation another's error aborted", .timeLimit(.minutes(3)))
struct PreparationTests {
    private static let text = Array("SELECT 7::int8".utf8)
    /// It fails after some time, so that more is sent before anything is known.
    private static let failing = "SELECT 1::int8 / length(pg_sleep(0.3)::text)"

    private static var seven: Statement<Int64> {
        Statement(text) { row throws(PostgresError) in try row.int8(0) }
    }

    @Test("is answered, also when it is sent before anybody knows", arguments: [true, false])
    func unprepared(_ isWrite: Bool) async throws {
        try await TestDatabase.with(migrated: false) { database in
            let connection = try await database.connect()
            async let failure = connection.query(.number(Self.failing), deadline: .soon)
            async let first = connection.query(Self.seven, deadline: .soon)
            // Another unit: it relies on the preparation in the first.
            try await database.loop.sleep(until: .after(.milliseconds(50)))
            async let second =
                isWrite
                ? connection.execute(Self.seven, deadline: .soon)
                : connection.query(Self.seven, deadline: .soon)
            let answers = try await [first, second]
            #expect(answers == [[7], [7]])
            do {
                _ = try await failure
                Issue.record("a division by zero has an answer")
            } catch { #expect((error as? PostgresError)?.state == SQLState("22012")) }
            let again = try await connection.query(Self.seven, deadline: .soon)
            #expect(again == [7])
        }
    }
}
