import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("The event store under faults", .keepsClusterOnFailure) struct EventStoreFaultTests {
    @Test("commands at one stream take turns, in order, until their deadlines")
    func turnstile() async throws {
        try await StoreHarness.with { database, nodes in
            let store = nodes[0].store
            let stream = nodes[0].newStream()
            try await store.enter(stream, by: .soon)
            let order = Guarded<[Int]>([])
            async let second: Void = take(2, stream, store, order)
            async let third: Void = take(3, stream, store, order)
            await #expect(throws: StoreError.unavailable) {
                try await store.enter(stream, by: .after(.milliseconds(20)))
            }
            order.withLock { $0.append(1) }
            store.leave(stream)
            _ = try await (second, third)
            #expect(order.current == [1, 2, 3])
            try await store.enter(stream, by: .soon)
            store.leave(stream)
        }
    }

    private func take(
        _ number: Int,
        _ stream: StreamID,
        _ store: PostgresEventStore,
        _ order: Guarded<[Int]>
    ) async throws {
        try await store.enter(stream, by: .soon)
        order.withLock { $0.append(number) }
        store.leave(stream)
    }

    @Test("an answer that is lost is looked up: in once, whoever cuts the line")
    func lostAnswers() async throws {
        try await StoreHarness.with { database, nodes in
            let killer = try await database.connect()
            let isDone = Guarded(false)
            async let cuts = cutLines(of: database, by: killer, until: isDone)
            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await Self.toggle(nodes[0], times: 50) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            isDone.replace(with: true)
            let count = try await cuts
            #expect(count > 0)
            #expect(outcomes.allSatisfy { $0 })
        }
    }

    /// True when the stream holds exactly what was acknowledged, each once.
    private static func toggle(_ node: StoreHarness, times: Int) async throws -> Bool {
        var subject = Loaded<Subject>.new(node.newStream())
        var acknowledged: [CommandID] = []
        while true {
            do {
                try await node.append([.registered(.sample)], to: &subject)
                break
            } catch StoreError.unavailable {}
        }
        while acknowledged.count < times {
            let command = node.newCommand()
            let commit = node.commit([try node.toggled(subject)], as: command)
            do {
                try await node.store.append(commit, by: .soon)
                acknowledged.append(command)
                subject = try await node.store.load(Subject.self, subject.stream, by: .soon)
            } catch StoreError.unavailable {
                // Said to be out: then it is out, and the state as before.
                continue
            } catch StoreError.outcomeUnknown {
                // Nobody could look within a second: a machine with other things to do.
                let history = try await retrying { () async throws(StoreError) in
                    try await node.store.history(of: subject.stream, by: .soon)
                }
                if history.count == acknowledged.count + 2 { acknowledged.append(command) }
                subject = try await node.store.load(Subject.self, subject.stream, by: .soon)
            }
        }
        let history = try await retrying { () async throws(StoreError) in
            try await node.store.history(of: subject.stream, by: .soon)
        }
        return history.count == times + 1
    }

    private static func retrying<Answer>(
        _ body: () async throws(StoreError) -> Answer
    ) async throws -> Answer {
        for _ in 0..<100 {
            do { return try await body() } catch StoreError.unavailable { continue }
        }
        throw StoreError.unavailable
    }

    private func cutLines(
        of database: TestDatabase,
        by killer: Connection,
        until isDone: Guarded<Bool>
    ) async throws -> Int64 {
        var cuts: Int64 = 0
        while !isDone.current, cuts < 5 {
            try await database.loop.sleep(until: .after(.milliseconds(7)))
            let cut = """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                 WHERE datname = current_database() AND usename = 'token_issuer'
                   AND query LIKE '%es.append%'
                """
            cuts += try await killer.query(.number(cut), deadline: .soon).first ?? 0
        }
        return cuts
    }

    @Test("no database: refused within a second, nothing is in; back by itself")
    func absence() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            var subject = try await node.register()
            let admin = try await database.connect(to: "postgres")
            let close = "ALTER DATABASE \(database.name) ALLOW_CONNECTIONS false"
            try await admin.run(script: Array(close.utf8), deadline: .soon)
            let cut = """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                 WHERE datname = '\(database.name)' AND usename = 'token_issuer'
                """
            _ = try await admin.query(.number(cut), deadline: .soon)
            try await database.loop.sleep(until: .after(.milliseconds(20)))
            let start = MonotonicInstant.now()
            let commit = node.commit([try node.toggled(subject)])
            await #expect(throws: StoreError.unavailable) {
                try await node.store.append(commit, by: .soon)
            }
            await #expect(throws: StoreError.unavailable) {
                _ = try await node.store.areCurrent([subject.guardian], by: .soon)
            }
            #expect(MonotonicInstant.now().since(start) < .seconds(2))
            let open = "ALTER DATABASE \(database.name) ALLOW_CONNECTIONS true"
            try await admin.run(script: Array(open.utf8), deadline: .soon)
            let limit = MonotonicInstant.soon
            while subject.version < 2, .now() < limit {
                do { try await node.append([.disabled(.operator)], to: &subject) } catch StoreError
                    .unavailable
                {}
            }
            #expect(subject.version == 2)
        }
    }

    @Test("a command whose deadline has passed is not sent") func deadlines() async throws {
        try await StoreHarness.with { _, nodes in
            let subject = try await nodes[0].register()
            await #expect(throws: StoreError.unavailable) {
                try await nodes[0].store.areCurrent(
                    [subject.guardian],
                    by: Deadline(nanoseconds: 1)
                )
            }
        }
    }
}
