import Domain
import Issuing
import OAuth
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// A user from the first mail to the erasure, in PostgreSQL and with real keys.
@Suite("Erasure", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct ErasureTests {
    private static let address = "ada@example.com"
    private static let agent = "Mozilla/5.0 (Lovelace)"

    @Test("no byte of a user can be read any more, and everybody else's stay")
    func erase() async throws {
        try await StoreHarness.with { database, nodes in
            let house = try ErasureHouse(nodes[0])
            defer { house.remove() }
            let ada = try await house.user(Self.address, network: "203.0.113.0/24", Self.agent)
            let bob = try await house.user("bob@example.com", network: "", "curl/8")
            let owner = try await database.connect()
            try await house.untilContexts(4, owner, database)
            #expect(try await house.read(ada) == Array(repeating: Self.address, count: 3))
            #expect(try await Self.mentions(Self.agent, in: owner))

            let order = Order(
                in: house.project,
                by: Operator(name: "ops", role: .operate),
                reason: "asked for it",
                deadline: .soon
            )
            try await house.administration.erase(ada.subject, by: order)
            #expect(try await house.read(ada).isEmpty)
            #expect(try await house.read(bob) == Array(repeating: "bob@example.com", count: 3))
            for text in [Self.address, Self.agent, "203.0.113"] {
                #expect(try await !Self.mentions(text, in: owner), "\(text)")
            }
            #expect(try await Self.mentions("curl/8", in: owner))
            let kept = """
                SELECT count(*) FROM es.snapshots WHERE stream_id = '\(ada.subject.stream)'
                """
            #expect(try await owner.query(.number(kept), deadline: .soon) == [0])
            // The log is whole: her events are there, and say nothing.
            let events = """
                SELECT count(*) FROM es.events WHERE subject_id = '\(ada.subject.stream)'
                """
            #expect(try await owner.query(.number(events), deadline: .soon)[0] > 64)
            let now = try await house.find(Self.address)
            #expect(now.isEmpty)
        }
    }

    @Test("a context that comes late is not kept") func late() async throws {
        try await StoreHarness.with { database, nodes in
            let house = try ErasureHouse(nodes[0])
            defer { house.remove() }
            let ada = try await house.user(Self.address, network: "", Self.agent)
            let owner = try await database.connect()
            try await house.untilContexts(2, owner, database)
            try await owner.run(Self.erased(ada.subject))
            try await PostgresPersonalData(nodes[0].database).destroy(of: ada.subject, by: .soon)
            house.record(nodes[0].newCommand(), of: ada.subject, network: "", Self.agent)
            house.record(nodes[0].newCommand(), of: nil, network: "", "the marker")
            try await house.untilContexts(1, owner, database)
            #expect(try await Self.mentions("the marker", in: owner))
            #expect(try await !Self.mentions(Self.agent, in: owner))
        }
    }

    @Test("a user of years is erased in steps that each take a moment") func years() async throws {
        try await StoreHarness.with { database, nodes in
            let subject = SubjectID(nodes[0].newStream())
            let owner = try await database.connect()
            for part in Self.years(of: subject) {
                try await owner.run(script: Array(part.utf8), deadline: .soon)
            }
            let count = "SELECT count(*) FROM es.contexts"
            #expect(try await owner.query(.number(count), deadline: .soon) == [3_001])
            try await PostgresPersonalData(nodes[0].database).destroy(of: subject, by: .soon)
            #expect(try await owner.query(.number(count), deadline: .soon) == [0])
        }
    }

    @Test("two that erase a user at the same time leave nothing, whichever is ahead")
    func atOnce() async throws {
        try await StoreHarness.with { database, nodes in
            let subject = SubjectID(nodes[0].newStream())
            let owner = try await database.connect()
            for part in Self.years(of: subject) {
                try await owner.run(script: Array(part.utf8), deadline: .soon)
            }
            // Another node deletes what is first, and is not done with it.
            let ahead = """
                BEGIN;
                DELETE FROM es.contexts WHERE command_id IN (
                  SELECT command_id FROM es.contexts WHERE subject_id = '\(subject.stream)'
                   ORDER BY at LIMIT 1000)
                """
            try await owner.run(script: Array(ahead.utf8), deadline: .soon)
            async let erased: Void = PostgresPersonalData(nodes[0].database)
                .destroy(of: subject, by: .soon)
            try await database.untilOneWaits()
            try await owner.run(script: Array("COMMIT".utf8), deadline: .soon)
            try await erased
            let count = "SELECT count(*) FROM es.contexts"
            #expect(try await owner.query(.number(count), deadline: .soon) == [0])
        }
    }

    @Test("an erasure that takes longer than a pass may goes on with the next") func passes()
        async throws
    {
        try await StoreHarness.with { database, nodes in
            let subject = SubjectID(nodes[0].newStream())
            let owner = try await database.connect()
            for part in Self.years(of: subject) + Self.keys(of: subject) + Self.slowly {
                try await owner.run(script: Array(part.utf8), deadline: .soon)
            }
            let data = PostgresPersonalData(nodes[0].database)
            let limit = MonotonicInstant.after(.seconds(40))
            var passes = 0
            var isDone = false
            while !isDone, .now() < limit {
                passes += 1
                let end = Deadline.after(.seconds(1))
                isDone = (try? await data.destroy(of: subject, by: end)) != nil
                try await database.loop.sleep(until: .after(.milliseconds(20)))
            }
            #expect(isDone && passes > 1)
            let count = "SELECT count(*) FROM es.contexts"
            #expect(try await owner.query(.number(count), deadline: .soon) == [0])
            #expect(try await owner.query(.number(Self.keysLeft), deadline: .soon) == [0])
        }
    }

    @Test("a key that a login makes between two passes goes with the second") func lateKey()
        async throws
    {
        try await StoreHarness.with { database, nodes in
            let subject = SubjectID(nodes[0].newStream())
            let owner = try await database.connect()
            for part in Self.years(of: subject) + Self.keys(of: subject) {
                try await owner.run(script: Array(part.utf8), deadline: .soon)
            }
            let data = PostgresPersonalData(nodes[0].database)
            try await data.destroy(of: subject, by: .soon)
            #expect(try await owner.query(.number(Self.keysLeft), deadline: .soon) == [0])
            let late = "uuid '00000000-0000-7000-8000-000000000003'"
            for part in [Self.event(in: late, of: subject), Self.key(late)] {
                try await owner.run(script: Array(part.utf8), deadline: .soon)
            }
            #expect(try await owner.query(.number(Self.keysLeft), deadline: .soon) == [1])
            try await data.destroy(of: subject, by: .soon)
            #expect(try await owner.query(.number(Self.keysLeft), deadline: .soon) == [0])
        }
    }

    private static let keysLeft = """
        SELECT count(*) FROM es.sealing_keys WHERE destroyed_at IS NULL
        """

    /// Of the user, the session and the login of `years`, which come with different pages; and the
    /// event without which nobody destroys them.
    private static func keys(of subject: SubjectID) -> [String] {
        [erased(subject), key("uuid '\(subject.stream)'"), key(session), key(login)]
    }

    /// The end of a user's stream, whatever it has before.
    static func erased(_ subject: SubjectID) -> String {
        """
        INSERT INTO es.events \(columns)
        SELECT uuid '\(subject.stream)', coalesce(max(version), 0) + 1, 106, 1, now(),
               gen_random_uuid(), uuid '\(subject.stream)', sha256('x'), bytea '{}', bytea '{}'
          FROM es.events WHERE stream_id = '\(subject.stream)'
        """
    }

    private static func key(_ id: String) -> String {
        """
        INSERT INTO es.sealing_keys (key_id, project, kek_version, wrapped, commitment)
        VALUES (\(id), 1, 1, sha256('x'), sha256('x'))
        """
    }

    private static func event(in stream: String, of subject: SubjectID) -> String {
        """
        INSERT INTO es.events \(columns)
        VALUES (\(stream), 1, 401, 1, now(), gen_random_uuid(), '\(subject.stream)', sha256('x'),
                '{}', '{}')
        """
    }

    /// Each statement takes its time: all that `years` needs are three seconds, and that its keys
    /// need is more than one.
    private static let slowly = [
        """
        CREATE FUNCTION es.dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_sleep(0.15); RETURN NULL; END $$
        """,
        """
        CREATE TRIGGER slow BEFORE DELETE ON es.contexts
          FOR EACH STATEMENT EXECUTE FUNCTION es.dawdle()
        """,
        """
        CREATE FUNCTION es.dawdle_longer() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_sleep(0.4); RETURN NULL; END $$
        """,
        """
        CREATE TRIGGER slow BEFORE UPDATE ON es.sealing_keys
          FOR EACH STATEMENT EXECUTE FUNCTION es.dawdle_longer()
        """,
    ]

    private static let columns = """
        (stream_id, version, type, project, occurred_at, command_id, subject_id, hash, payload,
         metadata)
        """
    private static let session = "uuid '00000000-0000-7000-8000-000000000001'"
    private static let login = "uuid '00000000-0000-7000-8000-000000000002'"

    /// One session of 3,000 events, and a login whose first command came before it was known whose
    /// it was; no statement may delete more than a thousand contexts.
    private static func years(of subject: SubjectID) -> [String] {
        [
            """
            CREATE FUNCTION es.refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              IF (SELECT count(*) FROM gone) > 1000 THEN RAISE 'too many at once'; END IF;
              RETURN NULL;
            END $$
            """,
            """
            CREATE TRIGGER few AFTER DELETE ON es.contexts REFERENCING OLD TABLE AS gone
              FOR EACH STATEMENT EXECUTE FUNCTION es.refuse_many()
            """,
            """
            INSERT INTO es.events \(columns)
            SELECT \(session), n, 704, 1, now(), gen_random_uuid(), '\(subject.stream)',
                   sha256('x'), bytea '{}', bytea '{}' FROM generate_series(1, 3000) AS n
            UNION ALL
            SELECT \(login), n, 401, 1, now(), gen_random_uuid(),
                   CASE n WHEN 2 THEN '\(subject.stream)'::uuid END, sha256('x'), '{}', '{}'
              FROM generate_series(1, 2) AS n
            """,
            """
            INSERT INTO es.contexts (command_id, project, subject_id, at)
            SELECT command_id, 1, subject_id, now() FROM es.events
             WHERE type = 704 OR type = 401 AND version = 1
            """,
        ]
    }

    /// Whether any row of any of our tables has the text, as text or as bytes.
    private static func mentions(_ text: String, in owner: Connection) async throws -> Bool {
        let tables = """
            SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables
             WHERE schemaname IN ('es', 'limits', 'revocation', 'chancery')
            """
        let hex = Hexadecimal.text(Array(text.utf8))
        for table in try await owner.query(.texts(tables), deadline: .soon) {
            let sql = """
                SELECT count(*) FROM \(table) AS t
                 WHERE t::text LIKE '%\(text)%' OR t::text LIKE '%\(hex)%'
                """
            if try await owner.query(.number(sql), deadline: .soon) != [0] { return true }
        }
        return false
    }
}
