import Postgres
import Runtime
import TestSupport
import Testing

/// Guards and fence, each with two transactions held open in the order that would break it.
@Suite("Guards and fence", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct OrderProofTests {
    @Test("a stream under a guard cannot move until the guarding append is committed")
    func guardHolds() async throws {
        try await TestDatabase.with { database in
            let finishedEarly = try await Self.revokeBesideGrant(database, takesLocks: true)
            #expect(!finishedEarly)
        }
    }

    @Test("a command that comes late is refused alone; one that lies ahead is taken")
    func late() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect(as: "token_issuer")
            var ids = IDSource()
            var call = RawAppend.opening((0..<5).map { _ in ids.next() })
            let ages: [Int64] = [0, 3_500, 7_000, -3_600_000, 86_400_000]
            for (index, age) in ages.enumerated() { call.rows[index].ageMilliseconds = age }
            #expect(try await connection.append(call) == [2, 4])
            let (refused, taken) = (call.rows[2], call.rows[0])
            // Nothing of it is there, and decided anew it is taken.
            #expect(try await connection.append(.opening([refused.stream])).isEmpty)
            var next = RawAppend.next(of: taken.stream, after: 1)
            next.rows[0].ageMilliseconds = 10_000
            #expect(try await connection.append(next) == [0])
            next.rows[0].ageMilliseconds = 0
            #expect(try await connection.append(next).isEmpty)
        }
    }

    @Test("a command grows late while it waits for a lock") func lateBehindLock() async throws {
        try await TestDatabase.with { database in
            let first = try await database.connect(as: "token_issuer")
            let second = try await database.connect(as: "token_issuer")
            var ids = IDSource()
            let stream = ids.next()
            try await first.begin()
            #expect(try await first.append(.opening([stream])).isEmpty)
            var behind = RawAppend.next(of: stream, after: 1)
            // Fresh enough when it is sent, and no more when it is its turn.
            behind.rows[0].ageMilliseconds = 4_000
            async let refused = second.append(behind)
            try await Task.sleep(for: .milliseconds(1_500))
            try await first.commit()
            #expect(try await refused == [0])
        }
    }

    @Test("the control: without its lock a revocation slips past a grant under way")
    func guardControl() async throws {
        try await TestDatabase.with { database in
            let finishedEarly = try await Self.revokeBesideGrant(database, takesLocks: false)
            #expect(finishedEarly)
        }
    }

    /// Whether a session could be ended while a grant that guards it was not committed yet.
    private static func revokeBesideGrant(
        _ database: TestDatabase,
        takesLocks: Bool
    ) async throws -> Bool {
        let granter = try await database.connect(as: "token_issuer")
        let revoker = try await database.connect(as: "token_issuer")
        var ids = IDSource()
        let (session, grant) = (ids.next(), ids.next())
        #expect(try await granter.append(.opening([session])).isEmpty)
        try await granter.begin()
        var open = RawAppend.opening([grant])
        open.guards = [RawAppend.Guard(command: 0, stream: session, version: 1)]
        #expect(try await granter.append(open).isEmpty)
        var end = RawAppend.next(of: session, after: 1)
        end.takesLocks = takesLocks
        let isOver = Guarded(false)
        async let refused = Self.append(end, on: revoker, isOver)
        // Without the lock it is over at once; a slow machine is given time to show it.
        let limit = MonotonicInstant.after(takesLocks ? .milliseconds(200) : .seconds(10))
        while !isOver.current, .now() < limit {
            try await database.loop.sleep(until: .after(.milliseconds(5)))
        }
        let finishedEarly = isOver.current
        try await granter.commit()
        #expect(try await refused == [])
        // The end is in: from here a grant is refused.
        var late = RawAppend.opening([ids.next()])
        late.guards = open.guards
        #expect(try await granter.append(late) == [0])
        return finishedEarly
    }

    private static func append(
        _ call: RawAppend,
        on connection: Connection,
        _ isOver: Guarded<Bool>
    ) async throws -> Set<Int32> {
        let refused = try await connection.append(call)
        isOver.replace(with: true)
        return refused
    }

    @Test("grants that race with revocations: none is in after the session's end")
    func guardRace() async throws {
        try await TestDatabase.with { database in
            let setup = try await database.connect()
            var ids = IDSource()
            let sessions = (0..<200).map { _ in ids.next() }
            _ = try await setup.append(.opening(sessions))
            let ended = Guarded(0)
            let calls = Guarded(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await Self.grant(database, sessions, ended, calls) }
                }
                for _ in 0..<2 {
                    group.addTask { try await Self.end(database, sessions, ended, calls) }
                }
                try await group.waitForAll()
            }
            let late = """
                SELECT count(*) FILTER (WHERE g.position > e.position)
                  FROM es.events AS g JOIN es.events AS e
                    ON e.stream_id = g.grant_id AND e.version = 2
                 WHERE g.grant_id IS NOT NULL
                """
            #expect(try await setup.count(late) == 0)
            let granted = "SELECT count(*) FROM es.events WHERE grant_id IS NOT NULL"
            #expect(try await setup.count(granted) > 100)
        }
    }

    private static func grant(
        _ database: TestDatabase,
        _ sessions: [RawAppend.ID],
        _ ended: Guarded<Int>,
        _ calls: Guarded<Int>
    ) async throws {
        let connection = try await database.connect(as: "token_issuer")
        var ids = IDSource()
        while ended.current < sessions.count {
            var call = RawAppend.opening((0..<16).map { _ in ids.next() })
            for index in call.rows.indices {
                // Around the one that ends just now.
                let near = ended.current + ids.number(below: 20) - 5
                let session = sessions[min(max(near, 0), sessions.count - 1)]
                call.rows[index].tag = session
                call.guards.append(
                    RawAppend.Guard(command: Int32(index), stream: session, version: 1)
                )
            }
            _ = try await connection.append(call)
            calls.withLock { $0 += 1 }
        }
    }

    private static func end(
        _ database: TestDatabase,
        _ sessions: [RawAppend.ID],
        _ ended: Guarded<Int>,
        _ calls: Guarded<Int>
    ) async throws {
        let connection = try await database.connect(as: "token_issuer")
        while true {
            // A race: never far ahead of those that grant, whoever connects first.
            while calls.current < ended.current / 5 {
                try await database.loop.sleep(until: .after(.milliseconds(1)))
            }
            let next = ended.withLock { ended in
                defer { ended += 1 }
                return ended
            }
            guard next < sessions.count else { return }
            #expect(try await connection.append(.next(of: sessions[next], after: 1)).isEmpty)
        }
    }

    @Test("the fence waits for an older transaction; by position alone its events are lost")
    func fence() async throws {
        try await TestDatabase.with { database in
            let slow = try await database.connect(as: "token_issuer")
            let quick = try await database.connect(as: "token_issuer")
            let relay = try await database.connect(as: "event_relay")
            var ids = IDSource()
            let (first, second) = (ids.next(), ids.next())
            try await slow.begin()
            _ = try await slow.append(.opening([first]))
            _ = try await quick.append(.opening([second]))
            var fenced = FencedRead()
            #expect(try await fenced.next(on: relay).isEmpty)
            let last = try await relay.count("SELECT coalesce(max(position), 0) FROM es.events")
            #expect(last > 0)
            try await slow.commit()
            // The control: a cursor that only counts has passed the slow one.
            let behind = "SELECT count(*) FROM es.events WHERE position > \(last)"
            #expect(try await relay.count(behind) == 0)
            // Transactions of other tests hold the fence of the cluster, too.
            var seen: [FencedRead.Seen] = []
            let limit = MonotonicInstant.soon
            while seen.count < 2, .now() < limit { seen += try await fenced.next(on: relay) }
            #expect(seen.map(\.version) == [1, 1])
        }
    }

    @Test("an append after another write of its transaction is refused")
    func firstWrite() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect(as: "token_issuer")
            var ids = IDSource()
            try await connection.begin()
            _ = try await connection.append(.opening([ids.next()]))
            let error = await #expect(throws: PostgresError.self) {
                try await connection.append(.opening([ids.next()]))
            }
            #expect(error?.state == SQLState("ES002"))
        }
    }
}
