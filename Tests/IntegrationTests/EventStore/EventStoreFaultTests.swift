import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("The event store under faults", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct EventStoreFaultTests {
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
            var subjects: [Loaded<Subject>] = []
            for _ in 0..<8 { subjects.append(try await nodes[0].register()) }
            let killer = try await database.connect()
            let isDone = Guarded(false)
            async let cuts = cutLines(of: database, by: killer, until: isDone)
            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                for subject in subjects {
                    group.addTask { try await Self.toggle(subject, on: nodes[0], times: 50) }
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
    private static func toggle(_ subject: Loaded<Subject>, on node: StoreHarness, times: Int)
        async throws -> Bool
    {
        var subject = subject
        var acknowledged: [CommandID] = []
        while acknowledged.count < times {
            let command = node.newCommand()
            let commit = node.commit([try node.toggled(subject)], as: command)
            do {
                try await node.store.append(commit, by: .soon)
                acknowledged.append(command)
                subject = try await node.loaded(subject.stream)
            } catch StoreError.unavailable {
                // Said to be out: then it is out, and the state as before.
                continue
            } catch StoreError.outcomeUnknown {
                // Nobody could look within a second: a machine with other things to do.
                let count = try await node.historyCount(of: subject.stream)
                if count == acknowledged.count + 2 { acknowledged.append(command) }
                subject = try await node.loaded(subject.stream)
            }
        }
        return try await node.historyCount(of: subject.stream) == times + 1
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

    @Test("no database: refused at once, nothing is in; back by itself")
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
            let left = """
                SELECT count(*) FROM pg_stat_activity
                 WHERE datname = '\(database.name)' AND usename = 'token_issuer'
                """
            while try await admin.query(.number(left), deadline: .soon) != [0] {
                try await database.loop.sleep(until: .after(.milliseconds(5)))
            }
            // The last word of a server that has gone may be on its way.
            try await database.loop.sleep(until: .after(.milliseconds(200)))
            let start = MonotonicInstant.now()
            let commit = node.commit([try node.toggled(subject)])
            await #expect(throws: StoreError.unavailable) {
                try await node.store.append(commit, by: .soon)
            }
            await #expect(throws: StoreError.unavailable) {
                _ = try await node.store.areCurrent([subject.guardian], by: .soon)
            }
            // Far below the deadline, for which it could wait.
            #expect(MonotonicInstant.now().since(start) < .seconds(20))
            let open = "ALTER DATABASE \(database.name) ALLOW_CONNECTIONS true"
            try await admin.run(script: Array(open.utf8), deadline: .soon)
            try await node.append([.disabled(.operator)], to: &subject)
            #expect(subject.version == 2)
        }
    }

    @Test("a lock that somebody holds keeps up who needs it, not those in the same call")
    func heldLock() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            var subjects: [Loaded<Subject>] = []
            for _ in 0..<16 { subjects.append(try await node.register()) }
            let holder = try await database.connect()
            defer { holder.close() }
            let key = "uuid_hash_extended('\(subjects[5].stream)', 0)"
            let hold = "SELECT 1::int8 FROM pg_advisory_lock(\(key))"
            _ = try await holder.query(.number(hold), deadline: .soon)
            let done = try await withThrowingTaskGroup(of: Int?.self) { group in
                for (index, subject) in subjects.enumerated() {
                    let commit = node.commit([try node.toggled(subject)])
                    group.addTask {
                        (try? await node.store.append(commit, by: .soon)).map { index }
                    }
                }
                return try await group.reduce(into: Set<Int>()) { done, index in
                    if let index { done.insert(index) }
                }
            }
            #expect(!done.contains(5))
            // On a busy machine some may have waited too long all the same.
            #expect(done.count >= 10)
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

extension StoreHarness {
    fileprivate func loaded(_ stream: StreamID) async throws -> Loaded<Subject> {
        try await patiently { try await store.load(Subject.self, stream, by: .soon) }
    }

    fileprivate func historyCount(of stream: StreamID) async throws -> Int {
        try await patiently { try await store.history(of: stream, after: 0, by: .soon).count }
    }
}
