import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// A server that is back after a crash shows commits that waited for the standby, and were answered
/// to nobody (decision 0234).
@Suite("What no standby has confirmed", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct ConfirmationTests {
    @Test("is seen over a new connection, and lasts once a commit behind it is answered")
    func newConnection() async throws {
        try await StoreHarness.with { database, nodes in
            let old = nodes[0]
            let subject = try await old.register()
            try await old.patiently { try await old.store.confirm(by: .soon) }
            let new = try StoreHarness(database)
            defer { new.stop() }
            try await new.untilReady()
            try await database.withSilentStandby {
                let seen = try await new.patiently {
                    try await new.store.loadCurrent(Subject.self, subject.stream, by: .soon)
                }
                #expect(seen.version == subject.version)
                await #expect(throws: StoreError.unavailable) {
                    try await new.store.confirm(by: .after(.milliseconds(500)))
                }
                // Once is enough, and asks nobody again.
                try await old.store.confirm(by: .soon)
            }
            try await new.patiently { try await new.store.confirm(by: .soon) }
        }
    }

    @Test("is confirmed by one commit for all who ask at once") func together() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let confirmed = Guarded(0)
            // More than may wait on a connection.
            let asking = (0..<200).map { _ in
                database.loop.spawn {
                    do {
                        try await node.store.confirm(by: .soon)
                        confirmed.withLock { $0 += 1 }
                    } catch {}
                }
            }
            for task in asking { await task.value }
            #expect(confirmed.current == asking.count)
        }
    }

    @Test("is no answer to a call that lost its own") func lostAnswer() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let subject = try await node.register()
            let commit = node.commit([try node.toggled(subject)])
            let superuser = try await database.connect()
            defer { superuser.close() }
            try await database.withSilentStandby {
                async let answer = Self.answer(to: commit, at: node)
                try await database.untilCommitsWait(1)
                // As by a crash: nobody is told of what waited, and all see it.
                for process in try await database.commitsThatWait() {
                    let end = "SELECT pg_terminate_backend(\(process))::int::int8"
                    _ = try await superuser.query(.number(end), deadline: .soon)
                }
                let heard = await answer
                #expect(heard == .outcomeUnknown)
                let seen = try await node.patiently {
                    try await node.store.history(of: subject.stream, after: 0, by: .soon)
                }
                #expect(seen.count == 2)
            }
        }
    }

    /// Nil: it is in.
    private static func answer(to commit: Commit, at node: StoreHarness) async -> StoreError? {
        do {
            try await node.patiently { try await node.store.append(commit, by: .soon) }
        } catch { return error as? StoreError }
        return nil
    }
}
