import Domain
import Issuing
import Persistence
import Postgres
import TestSupport
import Testing

@Suite("What was opened for a subject", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct OpenedStreamsTests {
    @Test("is found however much has happened since, page by page") func old() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let subject = SubjectID(node.newStream())
            let other = node.newStream()
            let connection = try await database.connect()
            // Two idle sessions, then one that is refreshed for months.
            let script = """
                INSERT INTO es.events (stream_id, version, type, project, occurred_at, command_id,
                                       subject_id, hash, payload, metadata)
                SELECT '\(other)', version, CASE WHEN version <= 2 THEN 701 ELSE 704 END, 1, now(),
                       '\(other)', '\(subject)', sha256('x'), '{}', '{}'
                  FROM generate_series(1, 10050) AS version
                """
            try await connection.run(script: Array(script.utf8), deadline: .soon)
            var found = 0
            try await node.store.eachStream(of: subject, [.offlineGrant], by: .soon) {
                (opened: OpenedStream) async throws(StoreError) in
                #expect(opened.kind == .offlineGrant && !opened.isOver)
                found += opened.stream == other ? 1 : 0
                return true
            }
            #expect(found == 2)
            let page = try await node.store.opened(
                for: subject,
                kinds: [.offlineGrant],
                before: nil,
                limit: 1,
                by: .soon
            )
            #expect(page.count == 1)
            let older = try await node.store.opened(
                for: subject,
                kinds: [.offlineGrant],
                before: page.first?.position,
                limit: 2,
                by: .soon
            )
            #expect(older.count == 1)
            #expect(older.first?.position != page.first?.position)
        }
    }

    @Test("says of which kind each is, and whether it is over") func kinds() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let subject = SubjectID(node.newStream())
            let streams = (0..<4).map { _ in node.newStream() }
            let connection = try await database.connect()
            // A browser's that has ended and one that has not, an app's that has, and a key.
            let types = [[501, 504, 506], [501, 504], [701, 711], [801, 802]]
            let rows = zip(streams, types).flatMap { stream, types in
                types.enumerated().map { "('\(stream)'::uuid, \($0 + 1), \($1))" }
            }
            let script = """
                INSERT INTO es.events (stream_id, version, type, project, occurred_at, command_id,
                                       subject_id, hash, payload, metadata)
                SELECT stream, version, type, 1, now(), stream, '\(subject)', sha256('x'),
                       '{}', '{}'
                  FROM (VALUES \(rows.joined(separator: ", "))) AS rows (stream, version, type)
                """
            try await connection.run(script: Array(script.utf8), deadline: .soon)
            let opened = try await node.store.opened(
                for: subject,
                kinds: [.browserSession, .offlineGrant, .biometricKey],
                before: nil,
                limit: 10,
                by: .soon
            )
            #expect(opened.map(\.stream) == streams.reversed())
            let kinds: [AggregateKind] = [
                .biometricKey, .offlineGrant, .browserSession, .browserSession,
            ]
            #expect(opened.map(\.kind) == kinds)
            #expect(opened.map(\.isOver) == [false, true, false, true])
            let store = node.store
            for one in opened {
                let found = try await store.position(
                    of: one.stream,
                    openedFor: subject,
                    by: .soon
                )
                #expect(found == one.position)
            }
            for (stream, owner) in [
                (streams[0], SubjectID(node.newStream())), (node.newStream(), subject),
            ] {
                let none = try await store.position(of: stream, openedFor: owner, by: .soon)
                #expect(none == nil)
            }
        }
    }
}
