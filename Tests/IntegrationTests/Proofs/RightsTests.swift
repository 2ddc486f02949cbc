import Migrations
import Persistence
import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

@Suite("Rights", .timeLimit(.minutes(3)), .keepsClusterOnFailure) struct RightsTests {
    /// A statement, and who may run it; all others are told 42501.
    struct Rule: Sendable, CustomTestStringConvertible {
        var sql: String
        var allowed: Set<String>
        var testDescription: String { sql }

        init(_ sql: String, _ allowed: String...) {
            self.sql = sql
            self.allowed = Set(allowed)
        }
    }

    static let logins = ["token_issuer", "event_relay", "projector", "migrator"]

    static let rules = [
        Rule("SELECT FROM es.events LIMIT 1", "token_issuer", "event_relay", "projector"),
        Rule("INSERT INTO es.events (version) VALUES (1)"),
        Rule("UPDATE es.events SET payload = ''"),
        Rule("DELETE FROM es.events"),
        Rule("TRUNCATE es.events"),
        Rule("INSERT INTO es.events_keyed (version) VALUES (1)"),
        Rule("DELETE FROM es.events_keyed"),
        Rule("SELECT nextval('es.events_position_seq')"),
        Rule(
            """
            SELECT es.append('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
                             '{}', '{}', '{}', '{}', '{}', '{}', '{}')
            """,
            "token_issuer"
        ),
        Rule("SELECT es.destroy_key(gen_random_uuid())", "token_issuer"),
        Rule("SELECT es.is_erased(gen_random_uuid())"),
        Rule("SELECT es.forget_key(gen_random_uuid())", "token_issuer"),
        Rule("SELECT es.rewrap_key(gen_random_uuid(), '', '', 2)", "token_issuer"),
        Rule("SELECT es.maintain_partitions()", "token_issuer"),
        Rule("SELECT es.ensure_partitions(now())"),
        Rule("SELECT es.drop_expired_partitions(now() + interval '9 years')"),
        Rule("SELECT es.add_partition('p', NULL, NULL)"),
        Rule(
            "SELECT es.class_floor(0, now())",
            "token_issuer",
            "event_relay",
            "projector"
        ),
        Rule("SELECT FROM es.ledger", "event_relay", "projector"),
        Rule("INSERT INTO es.ledger SELECT * FROM es.ledger", "event_relay"),
        Rule("UPDATE es.ledger SET position = 1"),
        Rule("DELETE FROM es.ledger"),
        Rule("SELECT FROM es.relay_cursor", "token_issuer", "event_relay", "projector"),
        Rule("UPDATE es.relay_cursor SET position = position", "event_relay"),
        Rule("DELETE FROM es.relay_cursor"),
        Rule("SELECT FROM es.log", "token_issuer", "event_relay", "projector"),
        Rule("UPDATE es.log SET current_epoch = 2"),
        Rule("SELECT FROM es.endings_cursor", "token_issuer", "event_relay", "projector"),
        Rule("UPDATE es.endings_cursor SET position = position", "token_issuer"),
        Rule("DELETE FROM es.endings_cursor"),
        Rule("SELECT FROM es.sealing_keys", "token_issuer"),
        Rule("INSERT INTO es.sealing_keys SELECT * FROM es.sealing_keys", "token_issuer"),
        Rule("UPDATE es.sealing_keys SET wrapped = NULL"),
        Rule("DELETE FROM es.sealing_keys"),
        Rule("DELETE FROM es.snapshots", "token_issuer"),
        Rule("SELECT FROM es.contexts", "token_issuer"),
        Rule("DELETE FROM es.contexts", "token_issuer"),
        Rule("UPDATE es.contexts SET ip_net = NULL"),
        Rule("DELETE FROM es.mail_queue", "token_issuer"),
        Rule("DELETE FROM limits.windows", "token_issuer"),
        Rule("SELECT limits.take('{}', '{}', '{}', '{}')", "token_issuer"),
        Rule("DELETE FROM revocation.revocations", "projector"),
        Rule("DELETE FROM revocation.outbox", "projector"),
        Rule("DELETE FROM revocation.sessions", "projector"),
        Rule("SELECT FROM revocation.sessions", "projector"),
        Rule("SELECT FROM revocation.revocations", "projector"),
        Rule("DELETE FROM revocation.offsets", "projector"),
        Rule("DELETE FROM revocation.blocked", "projector"),
        Rule("SELECT FROM chancery.revocation_topic", "projector"),
        Rule("UPDATE chancery.revocation_topic SET cluster_id = ''", "projector"),
        Rule("DELETE FROM chancery.revocation_topic"),
        Rule("SELECT FROM revocation.blocked", "projector", "event_relay"),
        Rule("SELECT FROM revocation.progress", "projector", "event_relay"),
        Rule("SELECT chancery.hold_projection('revocation', 1)", "projector"),
        Rule("SELECT chancery.timeline()", "projector"),
        Rule(
            "SELECT chancery.unfinished_erasures(now())",
            "token_issuer",
            "event_relay",
            "projector",
            "migrator"
        ),
        Rule("SELECT chancery.begin_rebuild(false)"),
        Rule("SELECT chancery.finish_rebuild(1, '', '', '{}', '{}', false)"),
        Rule("SELECT chancery.switch_rebuild(1, '', '', '{}', '{}')"),
        Rule("SELECT FROM chancery.rebuilds"),
        Rule("SELECT es.log_index_of(1::smallint, '1'::xid8, 1)", "projector", "event_relay"),
        Rule("DELETE FROM revocation.applied", "projector"),
        Rule(
            "SELECT FROM chancery.migrations",
            "token_issuer",
            "event_relay",
            "projector",
            "migrator"
        ),
        Rule("DELETE FROM chancery.migrations"),
        Rule("CREATE TABLE es.own ()"),
        Rule("CREATE TABLE public.own ()"),
        Rule("CREATE TEMPORARY TABLE own ()"),
        Rule("CREATE SCHEMA own"),
        Rule("SET LOCAL ROLE chancery_owner", "migrator"),
        Rule("SET LOCAL ROLE log_reader", "event_relay", "projector"),
        Rule("SET LOCAL session_replication_role = replica"),
        Rule("SELECT pg_read_file('PG_VERSION')"),
        Rule("LISTEN es", "token_issuer", "event_relay", "projector", "migrator"),
        Rule("NOTIFY es", "token_issuer", "event_relay", "projector", "migrator"),
        Rule(
            "SELECT pg_logical_emit_message(true, 'chancery', '')",
            "token_issuer",
            "event_relay",
            "projector",
            "migrator"
        ),
    ]

    @Test("each login may run exactly what its work needs") func matrix() async throws {
        // Rights on the database itself are not copied from a template.
        try await TestDatabase.with(migrated: false) { database in
            try await database.migrator(Migrations.steps).apply()
            for login in Self.logins {
                let connection = try await database.connect(as: login)
                for rule in Self.rules {
                    try await connection.begin()
                    var state: SQLState?
                    do throws(PostgresError) {
                        let statement = Statement<Void>(once: rule.sql)
                        _ = try await connection.execute(statement, deadline: .soon)
                    } catch {
                        state = error.state
                    }
                    try await connection.run(script: Array("ROLLBACK".utf8), deadline: .soon)
                    let expected: SQLState? =
                        rule.allowed.contains(login) ? nil : .insufficientPrivilege
                    #expect(state == expected, "\(login): \(rule.sql)")
                }
            }
        }
    }

    @Test(
        "each login has its limits from its role, whatever the program sets",
        arguments: [
            ("token_issuer", "3s"), ("event_relay", "30s"), ("projector", "3s"),
        ]
    )
    func settings(_ login: String, _ statementTimeout: String) async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect(as: login, liftsLimits: false)
            let names = [
                "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout",
                "search_path", "synchronous_commit", "plan_cache_mode", "jit",
            ]
            var values: [String] = []
            for name in names {
                let show = "SELECT current_setting('\(name)')"
                values += try await connection.query(.texts(show), deadline: .soon)
            }
            #expect(
                values
                    == [
                        statementTimeout, "1s", "10s", #""""#, "on", "force_generic_plan", "off",
                    ]
            )
        }
    }

    @Test("a watermark leaves room for the oldest command that is taken and its whole statement")
    func watermarkMargin() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect(as: "token_issuer", liftsLimits: false)
            let seconds = #"""
                SELECT substring(prosrc FROM 'interval ''(\d+) seconds''')::bigint
                       + extract(epoch FROM current_setting('statement_timeout')::interval)::bigint
                  FROM pg_catalog.pg_proc WHERE proname = 'append'
                """#
            let latest = try await connection.query(.number(seconds), deadline: .soon)
            #expect(latest == [WatermarkSampling.marginSeconds])
        }
    }

    @Test(
        "nobody changes an event: not its owner, not a superuser, not in a partition",
        arguments: ["postgres", "chancery_owner"],
        [
            "UPDATE es.events SET payload = ''", "DELETE FROM es.events", "TRUNCATE es.events",
            "TRUNCATE es.events_permanent", "DELETE FROM es.events_permanent",
            "SET LOCAL session_replication_role = replica; DELETE FROM es.events",
        ]
    )
    func appendOnly(_ role: String, _ sql: String) async throws {
        if role == "chancery_owner", sql.hasPrefix("SET LOCAL session") { return }
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            let stream = (UInt64(0x8000_0000_0000_8000), UInt64(0x8000_0000_0000_0001))
            _ = try await connection.append(.opening([stream]))
            let error = await #expect(throws: PostgresError.self) {
                let script = "BEGIN; SET LOCAL ROLE \(role); \(sql); COMMIT"
                try await connection.run(script: Array(script.utf8), deadline: .soon)
            }
            #expect(error?.state == SQLState("ES003"))
            try await connection.run(script: Array("ROLLBACK".utf8), deadline: .soon)
            #expect(try await connection.count("SELECT count(*) FROM es.events") == 1)
        }
    }
}
