import Assembly
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// What the roles bring along, which a dump in another cluster does not have.
@Suite("The settings of roles", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct RoleSettingsTests {
    static let roles: [(String, RoleRights.Duty)] = [
        ("token_issuer", .issuing), ("event_relay", .publishing), ("projector", .projecting),
    ]

    @Test("are what the migrations make them, as any role is told", arguments: roles)
    func made(_ role: String, _ duty: RoleRights.Duty) async throws {
        try await TestDatabase.with { database in
            let settings = database.settings(as: "migrator")
            let server = try await ServerInspection(settings, on: database.loop)
            defer { server.close() }
            let own = try #require(try await server.roleSettings(of: [role, "nobody"])[role])
            #expect(own.difference(for: duty) == nil)
            #expect(own.refusal(for: duty) == nil)
        }
    }

    @Test("that are not there are named, with the orders that give them") func absent() throws {
        let own = RoleSettings(of: "r", ["lock_timeout": "1000", "jit": "on"])
        #expect(own.refusal(for: .publishing) == nil)
        let refusal = try #require(own.refusal(for: .issuing))
        #expect(refusal.setting == "database.user")
        #expect(refusal.sentence.hasSuffix(": statement_timeout"))
        #expect(refusal.remedy.contains(": ALTER ROLE r SET statement_timeout = '3s'; then"))
        let difference = try #require(own.difference(for: .publishing))
        let orders = "SET jit = 'off'; ALTER ROLE r SET plan_cache_mode = 'force_generic_plan'; "
        #expect(difference.remedy.contains(orders))
        #expect(difference.sentence.hasSuffix(", enable_bitmapscan, enable_sort"))
        let none = try #require(RoleSettings(of: "r", [:]).refusal(for: .issuing))
        #expect(none.sentence.hasSuffix(": statement_timeout, lock_timeout"))
    }

    @Test(
        "have no isolation, or the one that guards rest on",
        arguments: [
            (nil, true), ("read committed", true), ("READ COMMITTED", true),
            ("repeatable read", false), ("serializable", false),
        ] as [(String?, Bool)]
    )
    func isolation(_ value: String?, _ isRight: Bool) {
        let wanted = RoleSettings.wanted(for: .issuing).map { ($0.name, $0.value) }
        var values = Dictionary(uniqueKeysWithValues: wanted)
        values["default_transaction_isolation"] = value
        let own = RoleSettings(of: "r", values)
        let order = "ALTER ROLE r SET default_transaction_isolation = 'read committed'; then"
        #expect(own.difference(for: .issuing)?.remedy.contains(order) == (isRight ? nil : true))
        // Our own connections ask for it.
        #expect(own.refusal(for: .issuing) == nil)
    }

    @Test(
        "without a limit end the start with the order that gives it",
        arguments: [("statement_timeout", "3s"), ("lock_timeout", "1s")]
    )
    func unlimited(_ name: String, _ value: String) async throws {
        try await TestDatabase.with { database in
            try await Self.change("token_issuer", "\(name) = 0", in: database)
            let gate = DatabaseGate(
                database.settings(as: "token_issuer"),
                for: .issuing,
                isSingleNode: true,
                isInsecureDev: false,
                on: database.loop,
                log: .discarding
            )
            do throws(Component.StartFailure) {
                _ = try await gate.look()
                Issue.record("a role without limits was let in")
            } catch {
                #expect(error.exitCode == .configuration)
                let order = "ALTER ROLE token_issuer SET \(name) = '\(value)'"
                #expect(error.reason.contains(order), "\(error.reason)")
            }
        }
    }

    @Test("that differ are named by chancery doctor") func doctor() async throws {
        try await TestDatabase.with { database in
            try await Self.change("event_relay", "statement_timeout = 0", in: database)
            try await Self.change("projector", "enable_seqscan = on", in: database)
            let isolation = "default_transaction_isolation = 'serializable'"
            try await Self.change("projector", isolation, in: database)
            let log = try await HorizonTests.doctor(of: database, as: "migrator")
            for order in [
                "ALTER ROLE event_relay SET statement_timeout = '30s'",
                "ALTER ROLE projector SET enable_seqscan = 'off'",
                "ALTER ROLE projector SET default_transaction_isolation = 'read committed'",
            ] { #expect(log.contains(order), "\(log)") }
            #expect(!log.contains("ALTER ROLE token_issuer"), "\(log)")
        }
    }

    /// In this database alone: the roles are those of all tests.
    private static func change(
        _ role: String,
        _ setting: String,
        in database: TestDatabase
    ) async throws {
        let owner = try await database.connect()
        defer { owner.close() }
        let order = "ALTER ROLE \(role) IN DATABASE \(database.name) SET \(setting)"
        try await owner.run(script: Array(order.utf8), deadline: .soon)
    }
}
