import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("The ends that issuers follow", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct EndingLogTests {
    /// An event as the log keeps it: its type, and how long ago it was recorded.
    private struct Row {
        var stream: StreamID
        var type: Int
        var ageSeconds = 10
        var epoch = 1
    }

    private static func record(_ rows: [Row], over connection: Connection) async throws {
        let values = rows.map {
            "('\($0.stream)'::uuid, \($0.type), \($0.ageSeconds), \($0.epoch))"
        }
        let script = """
            INSERT INTO es.events (stream_id, version, type, project, occurred_at, recorded_at,
                                   log_epoch, command_id, hash, payload, metadata)
            SELECT stream, 1, type, 1, now(), now() - age * interval '1 second', epoch, stream,
                   sha256('x'), '{}', '{}'
              FROM (VALUES \(values.joined(separator: ", "))) AS rows (stream, type, age, epoch)
            """
        try await connection.run(script: Array(script.utf8), deadline: .soon)
    }

    /// What one pass was handed and followed.
    ///
    /// Other tests' transactions hold the fence of the whole cluster now and then: looks again
    /// until something comes, if something is due.
    private static func pass(
        _ node: StoreHarness,
        isDue: Bool = true,
        failingAt refused: StreamID? = nil
    ) async throws -> [RecordedEnding] {
        let found = Guarded<[RecordedEnding]>([])
        let limit = MonotonicInstant.soon
        repeat {
            do throws(StoreError) {
                let count = try await PostgresEndingLog(node.database).nextDue(by: .soon) {
                    (page: [RecordedEnding]) async -> Int in
                    found.withLock { $0 += page.filter { $0.stream != refused } }
                    return page.firstIndex { $0.stream == refused } ?? page.count
                }
                #expect(refused != nil || count == found.current.count)
            } catch { Issue.record("\(error)") }
            guard isDue, found.current.isEmpty else { break }
            try await Task.sleep(for: .milliseconds(5))
        } while .now() < limit
        return found.current
    }

    /// A pass with another act while its ends are being followed.
    private static func untilDue(
        _ node: StoreHarness,
        _ body: () async throws -> Void
    ) async throws -> Int {
        let log = PostgresEndingLog(node.database)
        let limit = MonotonicInstant.soon
        while .now() < limit {
            let count = try await log.nextDue(by: .soon) {
                (page: [RecordedEnding]) async -> Int in
                do { try await body() } catch { Issue.record("\(error)") }
                return page.count
            }
            if count > 0 { return count }
            try await Task.sleep(for: .milliseconds(5))
        }
        return 0
    }

    @Test("come once, in the order of the log, of every kind that leaves more to record")
    func order() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let owner = try await database.connect()
            let types = [711, 104, 704, 506, 804, 106]
            let rows = types.map { Row(stream: node.newStream(), type: $0) }
            try await Self.record(rows, over: owner)
            let ends = try await Self.pass(node)
            #expect(ends.map(\.stream) == [0, 1, 3, 5].map { rows[$0].stream })
            #expect(ends.map(\.kind) == [.offlineGrant, .subject, .browserSession, .subject])
            #expect(ends.allSatisfy { $0.project == node.project })
            #expect(try await Self.pass(node, isDue: false).isEmpty)
            try await Self.record([Row(stream: node.newStream(), type: 711)], over: owner)
            #expect(try await Self.pass(node).count == 1)
        }
    }

    @Test("wait while whoever ended it may still be at work, and hold up what is behind them")
    func young() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let owner = try await database.connect()
            let rows = [
                Row(stream: node.newStream(), type: 711),
                Row(stream: node.newStream(), type: 711, ageSeconds: 0),
                Row(stream: node.newStream(), type: 711),
            ]
            for row in rows { try await Self.record([row], over: owner) }
            #expect(try await Self.pass(node).map(\.stream) == [rows[0].stream])
            #expect(try await Self.pass(node, isDue: false).isEmpty)
        }
    }

    @Test("do not wait for a clock that was set back, nor for who held them by it") func clockBack()
        async throws
    {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let owner = try await database.connect()
            let stream = node.newStream()
            try await Self.record([Row(stream: stream, type: 711, ageSeconds: -7200)], over: owner)
            let held = """
                UPDATE es.endings_cursor
                   SET leased_until = statement_timestamp() + interval '2 hours'
                """
            try await owner.run(script: Array(held.utf8), deadline: .soon)
            let log = PostgresEndingLog(node.database)
            #expect(try await 7100...7200 ~= log.lag(by: .soon))
            #expect(try await Self.pass(node).map(\.stream) == [stream])
        }
    }

    @Test("come again from the one that failed, which keeps none behind it from its turn")
    func failed() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let owner = try await database.connect()
            let rows = (0..<3).map { _ in Row(stream: node.newStream(), type: 506) }
            try await Self.record(rows, over: owner)
            let first = try await Self.pass(node, failingAt: rows[1].stream)
            #expect(first.map(\.stream) == [rows[0].stream, rows[2].stream])
            #expect(try await Self.pass(node).map(\.stream) == [rows[1].stream, rows[2].stream])
            #expect(try await Self.pass(node, isDue: false).isEmpty)
        }
    }

    @Test("say how old the first is that waits, also to a node that has no turn") func lag()
        async throws
    {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let logs = nodes.map { PostgresEndingLog($0.database) }
            #expect(try await logs[0].lag(by: .soon) == 0)
            let owner = try await database.connect()
            let rows = [600, 30].map {
                Row(stream: nodes[0].newStream(), type: 711, ageSeconds: $0)
            }
            try await Self.record(rows, over: owner)
            for log in logs { #expect(try await 600..<660 ~= log.lag(by: .soon)) }
            _ = try await Self.pass(nodes[0], failingAt: rows[1].stream)
            for log in logs { #expect(try await 30..<90 ~= log.lag(by: .soon)) }
            let count = try await Self.untilDue(nodes[0]) { () async throws in
                #expect(try await 30..<90 ~= logs[1].lag(by: .soon))
            }
            #expect(count == 1)
            #expect(try await logs[1].lag(by: .soon) == 0)
        }
    }

    @Test("say how old the first is also when it stands in a later history of the log")
    func lagOfEpoch() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let log = PostgresEndingLog(node.database)
            let owner = try await database.connect()
            let former = Row(stream: node.newStream(), type: 711)
            let later = Row(stream: node.newStream(), type: 711, ageSeconds: 600, epoch: 3)
            try await Self.record([former, later], over: owner)
            let raised = "UPDATE es.log SET current_epoch = 3"
            try await owner.run(script: Array(raised.utf8), deadline: .soon)
            #expect(try await Self.pass(node).map(\.stream) == [former.stream])
            #expect(try await 600..<660 ~= log.lag(by: .soon))
        }
    }

    @Test("are known not to be found where transaction numbers began again without a new epoch")
    func restored() async throws {
        try await StoreHarness.with { database, nodes in
            let log = PostgresEndingLog(nodes[0].database)
            // What `/readyz` says of it.
            let watch = EndingWatch()
            func problem() async -> String? {
                await watch.look(at: log, by: .soon, log: .discarding)
                return watch.problem
            }
            #expect(await problem() == nil)
            let owner = try await database.connect()
            // As the numbers stand in a cluster that a dump was restored into.
            let restored = "UPDATE es.endings_cursor SET xid = '900000000000'"
            try await owner.run(script: Array(restored.utf8), deadline: .soon)
            #expect(await problem()?.contains("raise the epoch of the log") == true)
            let raised = "UPDATE es.log SET current_epoch = 2"
            try await owner.run(script: Array(raised.utf8), deadline: .soon)
            #expect(await problem() == nil)
        }
    }

    @Test("say which of them is an erasure") func erasures() async throws {
        try await StoreHarness.with { database, nodes in
            let owner = try await database.connect()
            let rows = [104, 106, 506].map { Row(stream: nodes[0].newStream(), type: $0) }
            try await Self.record(rows, over: owner)
            #expect(try await Self.pass(nodes[0]).map(\.isErasure) == [false, true, false])
        }
    }

    @Test("are one node's at a time") func leased() async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let owner = try await database.connect()
            try await Self.record([Row(stream: nodes[0].newStream(), type: 711)], over: owner)
            let count = try await Self.untilDue(nodes[0]) { () async throws in
                #expect(try await Self.pass(nodes[1], isDue: false).isEmpty)
            }
            #expect(count == 1)
            #expect(try await Self.pass(nodes[1], isDue: false).isEmpty)
        }
    }

    @Test("are another node's when the first is slower than its lease, and nothing is set back")
    func slow() async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let owner = try await database.connect()
            let stream = nodes[0].newStream()
            try await Self.record([Row(stream: stream, type: 711)], over: owner)
            let late = Row(stream: nodes[0].newStream(), type: 711)
            _ = try await Self.untilDue(nodes[0]) { () async throws in
                let expired = "UPDATE es.endings_cursor SET leased_until = '-infinity'"
                try await owner.run(script: Array(expired.utf8), deadline: .soon)
                #expect(try await Self.pass(nodes[1]).map(\.stream) == [stream])
                try await Self.record([late], over: owner)
                #expect(try await Self.pass(nodes[1]).map(\.stream) == [late.stream])
            }
            #expect(try await Self.pass(nodes[1], isDue: false).isEmpty)
        }
    }

    @Test("of a transaction that is open are not passed over") func open() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let slow = try await database.connect()
            let quick = try await database.connect()
            let first = Row(stream: node.newStream(), type: 711)
            let second = Row(stream: node.newStream(), type: 711)
            try await slow.run(script: Array("BEGIN".utf8), deadline: .soon)
            try await Self.record([first], over: slow)
            try await Self.record([second], over: quick)
            #expect(try await Self.pass(node, isDue: false).isEmpty)
            try await slow.run(script: Array("COMMIT".utf8), deadline: .soon)
            #expect(try await Self.pass(node).map(\.stream) == [first.stream, second.stream])
        }
    }

    @Test("go on in the next history of the log") func epoch() async throws {
        try await StoreHarness.with { database, nodes in
            let node = nodes[0]
            let owner = try await database.connect()
            let former = Row(stream: node.newStream(), type: 711)
            let next = Row(stream: node.newStream(), type: 711, epoch: 2)
            try await Self.record([former, next], over: owner)
            let raised = "UPDATE es.log SET current_epoch = 2"
            try await owner.run(script: Array(raised.utf8), deadline: .soon)
            #expect(try await Self.pass(node).map(\.stream) == [former.stream])
            // The end of the former history is seen by a pass that finds nothing.
            #expect(try await Self.pass(node).map(\.stream) == [next.stream])
        }
    }

    @Test("come again at a server that took over while they were followed at the other")
    func takenOver() async throws {
        try await LostHistoryTests.withNode { _, superuser, node in
            let stream = node.newStream()
            try await Self.record([Row(stream: stream, type: 711)], over: superuser)
            let took = try await Self.untilDue(node) { () async throws in
                let other = "UPDATE other.start SET at = at + interval '1 hour'"
                try await superuser.run(script: Array(other.utf8), deadline: .soon)
            }
            #expect(took > 0)
            // The lease of the pass that came to nothing.
            let free = "UPDATE es.endings_cursor SET leased_until = '-infinity'"
            try await superuser.run(script: Array(free.utf8), deadline: .soon)
            #expect(try await Self.pass(node).map(\.stream).contains(stream))
            #expect(try await Self.pass(node, isDue: false).isEmpty)
        }
    }
}
