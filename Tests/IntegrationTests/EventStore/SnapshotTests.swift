import Domain
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("Snapshots", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct SnapshotTests {
    /// Two intervals: the newest snapshot may be one behind when its writing has just begun.
    private static let eventsReadMax = 128

    @Test("a stream of 10,000 events costs a node that never saw it no more than a short one")
    func cost() async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let long = try await Self.stream(of: 10_000, on: nodes[0])
            try await Self.untilKept(long.stream, after: 9_900, in: database)
            let before = nodes[1].eventsRead
            let loaded = try await nodes[1].store.load(Subject.self, long.stream, by: .soon)
            #expect(nodes[1].eventsRead - before <= Self.eventsReadMax)
            #expect(loaded.version == 10_000 && loaded.state == long.state)
            #expect(loaded.hash == long.hash && loaded.occurredAt == long.occurredAt)
            #expect(loaded.project == nodes[0].project)
            // What was read is cached like any state: the next event costs one row.
            var here = loaded
            try await nodes[1].append([.enabled(at: .sample)], to: &here)
            #expect(here.version == 10_001)
        }
    }

    @Test("a node that folded a long stream keeps it for the others") func afterLoad() async throws
    {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            // The next one of node 0 would be at 192: nothing of it comes after the DELETE.
            let long = try await Self.stream(of: 190, on: nodes[0])
            try await Self.untilKept(long.stream, after: 128, in: database)
            let owner = try await database.connect()
            try await owner.run(script: Array("DELETE FROM es.snapshots".utf8), deadline: .soon)
            _ = try await nodes[1].store.load(Subject.self, long.stream, by: .soon)
            #expect(nodes[1].eventsRead >= 190)
            try await Self.untilKept(long.stream, after: 190, in: database)
        }
    }

    @Test("many that fall due together serve another node, each its own stream")
    func together() async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            var streams: [Loaded<Subject>] = []
            for _ in 0..<20 { streams.append(try await Self.stream(of: 130, on: nodes[0])) }
            for stream in streams {
                try await Self.untilKept(stream.stream, after: 128, in: database)
            }
            let before = nodes[1].eventsRead
            for stream in streams {
                let loaded = try await nodes[1].store.load(Subject.self, stream.stream, by: .soon)
                #expect(loaded.version == 130 && loaded.state == stream.state)
            }
            #expect(nodes[1].eventsRead - before <= 3 * streams.count)
        }
    }

    struct Forgery: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sql: String
        /// False: it is never looked at.
        var isRead = true
    }

    static let forgeries = [
        Forgery(
            testDescription: "another state",
            sql: """
                state = convert_to(
                  replace(convert_from(state, 'UTF8'), 'true', 'false'), 'UTF8')
                """
        ),
        Forgery(testDescription: "another MAC", sql: "mac = sha256(mac)"),
        Forgery(testDescription: "another hash", sql: "hash = sha256(hash)"),
        Forgery(testDescription: "another format", sql: "format = format + 1", isRead: false),
        Forgery(testDescription: "a version before its own", sql: "version = version - 1"),
        Forgery(testDescription: "a version the stream has not reached", sql: "version = 100000"),
        Forgery(
            testDescription: "an older version, with that event's hash",
            sql: """
                version = version - 1, hash = (SELECT e.hash FROM es.events AS e
                  WHERE e.stream_id = s.stream_id AND e.version = s.version - 1)
                """
        ),
        Forgery(testDescription: "no bytes", sql: "state = ''"),
    ]

    @Test(
        "one that is not of this stream at that version, or not ours, is as none",
        arguments: forgeries
    )
    func refused(_ forgery: Forgery) async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let long = try await Self.stream(of: 130, on: nodes[0])
            try await Self.untilKept(long.stream, after: 128, in: database)
            let owner = try await database.connect()
            let script = "UPDATE es.snapshots AS s SET \(forgery.sql)"
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let loaded = try await nodes[1].store.load(Subject.self, long.stream, by: .soon)
            #expect(loaded.version == 130 && loaded.state == long.state)
            #expect(loaded.hash == long.hash)
            #expect(nodes[1].snapshotsRefused == (forgery.isRead ? 1 : 0))
            // And what the events say takes its place.
            try await Self.untilKept(long.stream, after: 130, in: database)
            #expect(nodes[1].eventsRead >= 130)
        }
    }

    @Test("one whose events have gone with their partition is nobody's forgery") func outlives()
        async throws
    {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let long = try await Self.stream(of: 130, on: nodes[0])
            try await Self.untilKept(long.stream, after: 128, in: database)
            let gone = nodes[0].newStream()
            let owner = try await database.connect()
            let script = "UPDATE es.snapshots SET stream_id = '\(gone)'"
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let loaded = try await nodes[1].store.load(Subject.self, gone, by: .soon)
            #expect(loaded.version == 0 && loaded.state == .absent)
            #expect(nodes[1].snapshotsRefused == 0)
        }
    }

    @Test("one of another stream is refused") func foreign() async throws {
        try await StoreHarness.with(nodes: 2) { database, nodes in
            let first = try await Self.stream(of: 129, on: nodes[0])
            let second = try await Self.stream(of: 130, on: nodes[0])
            for stream in [first, second] {
                try await Self.untilKept(stream.stream, after: 128, in: database)
            }
            let owner = try await database.connect()
            let script = """
                UPDATE es.snapshots AS s SET state = o.state, mac = o.mac
                  FROM es.snapshots AS o WHERE o.stream_id <> s.stream_id
                """
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            for stream in [first, second] {
                let loaded = try await nodes[1].store.load(Subject.self, stream.stream, by: .soon)
                #expect(loaded.version == stream.version && loaded.state == stream.state)
            }
        }
    }

    /// A subject that was switched off and on until its stream has `count` events.
    private static func stream(of count: Int32, on node: StoreHarness) async throws
        -> Loaded<Subject>
    {
        var subject = try await node.register()
        while subject.version < count {
            let length = min(Commit.eventsMax, Int(count - subject.version))
            let events = (0..<length).map { index -> Subject.Event in
                let isOn = (Int(subject.version) + index).isMultiple(of: 2)
                return isOn ? .enabled(at: .sample) : .disabled(.operator)
            }
            try await node.append(events, to: &subject)
        }
        return subject
    }

    /// Waits until a snapshot at `version` or later is in the database.
    private static func untilKept(
        _ stream: StreamID,
        after version: Int32,
        in database: TestDatabase
    ) async throws {
        let connection = try await database.connect()
        let sql = """
            SELECT count(*) FROM es.snapshots AS s JOIN es.events AS e
                ON e.stream_id = s.stream_id AND e.version = s.version AND e.hash = s.hash
             WHERE s.stream_id = '\(stream)' AND s.version >= \(version)
            """
        let limit = MonotonicInstant.soon
        while try await connection.query(.number(sql), deadline: .soon) == [0] {
            try #require(.now() < limit, "no snapshot was written")
            try await database.loop.sleep(until: .after(.milliseconds(5)))
        }
    }
}

extension StoreHarness {
    /// Events read to fold states, by this node.
    var eventsRead: Int {
        Int(clamping: metrics.counter("chancery_events_read_total", "").value)
    }

    /// Snapshots that this node read and did not believe.
    var snapshotsRefused: Int {
        Int(
            clamping: metrics.counter("chancery_snapshots_total", "", ["result": "refused"]).value
        )
    }
}
