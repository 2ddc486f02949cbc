import Domain
import Foundation
import Issuing
import Postgres
import Runtime
import TestSupport
import Testing

@testable import Persistence

@Suite(
    "A server that lacks what was acknowledged",
    .timeLimit(.minutes(3)),
    .keepsClusterOnFailure
)
struct LostHistoryTests {
    @Test("a node that comes to another server reads again what it remembered")
    func otherServer() async throws {
        try await Self.withNode { database, superuser, node in
            var subject = try await node.register()
            let first = subject
            try await node.append([.disabled(.operator)], to: &subject)
            #expect(subject.version == 2)
            // The same server by another connection: what is remembered holds.
            try await Self.endAll(database, superuser)
            try await Self.expect(node, first, at: 2)
            #expect(node.store.remembered(first.stream)?.version == 2)
            try await Self.lose(first.stream, version: 2, on: superuser)
            try await Self.run(Self.anotherStart, on: superuser)
            try await Self.endAll(database, superuser)
            try await Self.expect(node, first, at: 1)
            var again = try await node.store.loadCurrent(Subject.self, first.stream, by: .soon)
            try await node.append([.disabled(.operator)], to: &again)
            #expect(again.version == 2)
        }
    }

    @Test("what the server before said is not current, and takes no append, at the same version")
    func otherWay() async throws {
        try await Self.withNode { database, superuser, node in
            var subject = try await node.register()
            try await node.append([.disabled(.operator)], to: &subject)
            let (stream, former) = (subject.stream, subject)
            #expect(former.version == 2)
            try await Self.lose(stream, version: 2, on: superuser)
            // The log goes another way to that version.
            let other = try StoreHarness(database)
            defer { other.stop() }
            try await other.untilReady()
            var latter = try await other.patiently {
                try await other.store.loadCurrent(Subject.self, stream, by: .soon)
            }
            try await other.append([.erased], to: &latter)
            #expect(latter.version == 2)
            try await Self.run(Self.anotherStart, on: superuser)
            try await Self.endAll(database, superuser)
            try await node.untilReady()
            let isCurrent = try await node.patiently {
                try await node.store.areCurrent([former.guardian], by: .soon)
            }
            #expect(!isCurrent)
            let unrelated = try await node.register()
            let commits = [
                node.commit([try node.toggled(former)]),
                node.commit([try node.toggled(unrelated)], guards: [former.guardian]),
            ]
            for commit in commits {
                await #expect(throws: StoreError.conflict) {
                    try await node.patiently { try await node.store.append(commit, by: .soon) }
                }
            }
            let now = try await node.patiently {
                try await node.store.load(Subject.self, stream, by: .soon)
            }
            #expect(now.version == 2 && now.state == .erased)
            let isNow = try await node.patiently {
                try await node.store.areCurrent([now.guardian], by: .soon)
            }
            #expect(isNow)
        }
    }

    @Test("no connection stays at the server before, although that one answers on")
    func bothAnswer() async throws {
        try await Self.withNode { database, superuser, node in
            let subject = try await node.register()
            try await Self.note(superuser)
            #expect(try await Self.left(superuser) == 3)
            // One of three, by the same server: the others stay.
            try await Self.run("\(Self.endNoted) LIMIT 1", on: superuser)
            try await Self.expect(node, subject, at: 1)
            try await node.untilReady()
            #expect(try await Self.left(superuser) == 2)
            // One of three, and it comes to another server.
            try await Self.note(superuser)
            try await Self.run(Self.anotherStart, on: superuser)
            try await Self.run("\(Self.endNoted) LIMIT 1", on: superuser)
            try await Self.untilNoneIsLeft(database, superuser)
            try await Self.expect(node, subject, at: 1)
        }
    }

    @Test("no connection to another server is used before what is remembered is forgotten")
    func nobodyIsFirst() async throws {
        try await TestDatabase.with { database in
            let superuser = try await database.connect()
            defer { superuser.close() }
            try await Self.letStartBeSet(superuser)
            // One keeper on a loop that stands still for a while: whoever comes over waits for it.
            let slow = try Loop.running()
            defer { slow.end() }
            var settings = database.settings(as: "token_issuer")
            settings.options.append(("search_path", "other, pg_catalog"))
            let watch = ServerWatch()
            let keepers = [database.loop, database.loop, slow].map {
                (loop: $0, keeper: watch.keeper(settings, on: $0))
            }
            let early = Guarded<[Bool]>([])
            watch.onChange {
                guard database.loop.isCurrent else { return }
                let isConnected = keepers.prefix(2).contains(where: \.keeper.isConnected)
                early.withLock { $0.append(isConnected) }
            }
            for (loop, keeper) in keepers { loop.post { keeper.start() } }
            while try await superuser.query(.number(Self.mine), deadline: .soon) != [3] {
                try await database.loop.sleep(until: .after(.milliseconds(5)))
            }
            try await Self.note(superuser)
            try await Self.run(Self.anotherStart, on: superuser)
            slow.post { usleep(700_000) }
            try await Self.run(Self.endNoted, on: superuser)
            while early.current.isEmpty {
                try await database.loop.sleep(until: .after(.milliseconds(2)))
            }
            #expect(early.current.first == false)
            for (loop, keeper) in keepers { loop.post { keeper.stop() } }
        }
    }

    @Test("an erasure begins anew at another server, where its keys may be there again")
    func erasure() async throws {
        try await Self.withNode { database, superuser, node in
            let subject = SubjectID(node.newStream())
            let data = PostgresPersonalData(node.database)
            let key = """
                INSERT INTO es.sealing_keys (key_id, project, kek_version, wrapped, commitment)
                VALUES ('\(subject.stream)', 1, 1, sha256('x'), sha256('x'))
                """
            for part in [ErasureTests.erased(subject), key] {
                try await Self.run(part, on: superuser)
            }
            try await data.destroy(of: subject, by: .soon)
            let left = "SELECT count(*) FROM es.sealing_keys WHERE destroyed_at IS NULL"
            #expect(try await superuser.query(.number(left), deadline: .soon) == [0])
            let loss = "UPDATE es.sealing_keys SET wrapped = sha256('x'), destroyed_at = NULL"
            try await Self.run(loss, on: superuser)
            try await Self.run(Self.anotherStart, on: superuser)
            try await Self.endAll(database, superuser)
            try await node.untilReady()
            try await node.patiently {
                // Whatever the reason: a connection may learn only now that it has ended.
                guard (try? await data.destroy(of: subject, by: .soon)) != nil else {
                    throw StoreError.unavailable
                }
            }
            #expect(try await superuser.query(.number(left), deadline: .soon) == [0])
        }
    }

    /// A node, and somebody who may set when its server was started.
    static func withNode(
        _ body:
            @escaping @Sendable (TestDatabase, Connection, StoreHarness) async throws -> Void
    ) async throws {
        try await TestDatabase.with { database in
            let superuser = try await database.connect()
            defer { superuser.close() }
            try await letStartBeSet(superuser)
            let node = try StoreHarness(database, searching: "other, pg_catalog")
            defer { node.stop() }
            try await node.untilReady()
            try await body(database, superuser, node)
        }
    }

    /// What an asynchronous failover can do, and no login may.
    static func lose(_ stream: StreamID, version: Int32, on superuser: Connection)
        async throws
    {
        let loss = """
            SET session_replication_role = replica;
            ALTER TABLE es.events DISABLE TRIGGER ALL;
            DELETE FROM es.events WHERE stream_id = '\(stream)' AND version = \(version);
            ALTER TABLE es.events ENABLE ALWAYS TRIGGER append_only;
            SET session_replication_role = origin;
            """
        try await run(loss, on: superuser)
    }

    /// Who asks when the server was started is told what stands in `other.start`.
    private static func letStartBeSet(_ superuser: Connection) async throws {
        let other = """
            CREATE SCHEMA other;
            CREATE TABLE other.start AS SELECT now() AS at;
            CREATE FUNCTION other.pg_postmaster_start_time() RETURNS timestamptz
              LANGUAGE sql AS 'SELECT at FROM other.start';
            GRANT USAGE ON SCHEMA other TO PUBLIC;
            GRANT SELECT ON other.start TO PUBLIC;
            CREATE TEMP TABLE noted (pid int);
            """
        try await run(other, on: superuser)
    }

    private static let anotherStart = "UPDATE other.start SET at = at + interval '1 hour'"
    private static let mine = """
        SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND usename = 'token_issuer'
        """
    private static let endNoted = "SELECT pg_terminate_backend(pid) FROM noted"

    private static func expect(_ node: StoreHarness, _ subject: Loaded<Subject>, at version: Int32)
        async throws
    {
        let found = try await node.patiently {
            try await node.store.loadCurrent(Subject.self, subject.stream, by: .soon)
        }
        #expect(found.version == version)
    }

    /// Notes the node's connections.
    private static func note(_ superuser: Connection) async throws {
        let mine = "datname = current_database() AND usename = 'token_issuer'"
        let note = """
            TRUNCATE noted;
            INSERT INTO noted SELECT pid FROM pg_stat_activity WHERE \(mine)
            """
        try await run(note, on: superuser)
    }

    /// Ends the node's connections, and waits until they have ended.
    private static func endAll(_ database: TestDatabase, _ superuser: Connection) async throws {
        try await note(superuser)
        try await run(endNoted, on: superuser)
        try await untilNoneIsLeft(database, superuser)
    }

    /// How many of the noted connections there still are.
    private static func left(_ superuser: Connection) async throws -> Int64 {
        let left = "SELECT count(*) FROM pg_stat_activity JOIN noted USING (pid)"
        return try #require(try await superuser.query(.number(left), deadline: .soon).first)
    }

    private static func untilNoneIsLeft(_ database: TestDatabase, _ superuser: Connection)
        async throws
    {
        while try await left(superuser) != 0 {
            try await database.loop.sleep(until: .after(.milliseconds(5)))
        }
    }

    private static func run(_ script: String, on connection: Connection) async throws {
        try await connection.run(script: Array(script.utf8), deadline: .soon)
    }
}
