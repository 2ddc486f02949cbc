import Persistence
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

/// What the ledger tells of events that are gone with their partition.
@Suite("Dropped events", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct DroppedEventsTests {
    @Test("are a page a question, not all of them one") func pages() async throws {
        try await TestDatabase.with { database in
            let owner = try await database.connect()
            defer { owner.close() }
            let script = """
                INSERT INTO es.ledger
                       (log_index, log_epoch, xid, position, stream_id, version, hash)
                SELECT n, 1, '1', n, gen_random_uuid(), 1, sha256('x')
                  FROM generate_series(0, 2499) AS n
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let session = database.relayLog()
            _ = try #require(try await session.lead())
            var next: Int64 = 0
            var pages: [Int64] = []
            while next < 2_600 {
                let page = try await session.published(in: next..<2_600)
                #expect(page.rows.isEmpty)
                next = page.next
                pages.append(next)
            }
            #expect(pages == [1_000, 2_000, 2_500, 2_600])
            await session.resign()
        }
    }
}
