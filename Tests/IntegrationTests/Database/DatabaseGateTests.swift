import Assembly
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// What a process refuses to start on (Security 10, points 5 to 7).
@Suite("What the gate lets through", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct DatabaseGateTests {
    struct Role: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Run by the superuser; `$r` is the role's name, new in this test.
        var setUp: String
        var duty: RoleRights.Duty
        /// What is said of it; nil: it may start.
        var refusal: String?
    }

    static let roles = [
        Role(
            testDescription: "the issuer's own rights",
            setUp: "GRANT token_issuer TO $r",
            duty: .issuing
        ),
        Role(
            testDescription: "the relay's own rights",
            setUp: "GRANT event_relay TO $r",
            duty: .publishing
        ),
        Role(
            testDescription: "the projector's own rights",
            setUp: "GRANT projector TO $r",
            duty: .projecting
        ),
        Role(
            testDescription: "a superuser",
            setUp: "ALTER ROLE $r SUPERUSER",
            duty: .issuing,
            refusal: "$r is a superuser"
        ),
        Role(
            testDescription: "the owner, by SET ROLE alone",
            setUp: "GRANT token_issuer, chancery_owner TO $r; ALTER ROLE $r NOINHERIT",
            duty: .issuing,
            refusal: "$r owns the event log, or can"
        ),
        Role(
            testDescription: "one that may insert events",
            setUp: "GRANT event_relay TO $r; GRANT INSERT ON es.events TO $r",
            duty: .publishing,
            refusal: "$r may change es.events itself"
        ),
        Role(
            testDescription: "one that may change a partition",
            setUp: "GRANT token_issuer TO $r; GRANT UPDATE ON es.events_keyed TO $r",
            duty: .issuing,
            refusal: "$r may change es.events itself"
        ),
        Role(
            testDescription: "one for two programs",
            setUp: "GRANT token_issuer, projector TO $r",
            duty: .projecting,
            refusal: "$r is shared with token-issuer"
        ),
        Role(
            testDescription: "another program's",
            setUp: "GRANT projector TO $r",
            duty: .publishing,
            refusal: "$r may not do event-relay's work"
        ),
        Role(
            testDescription: "nobody's",
            setUp: "SELECT",
            duty: .projecting,
            refusal: "$r may not do revocation-projector's work"
        ),
    ]

    @Test("a role that could forge, or do another's work, is refused", arguments: roles)
    func rights(_ test: Role) async throws {
        try await TestDatabase.with { database in
            let role = "r\(database.name)"
            let owner = try await database.connect()
            let script = "CREATE ROLE \(role) LOGIN; \(test.setUp)".replacing("$r", with: role)
            try await owner.run(script: Array(script.utf8), deadline: .soon)
            let server = try await ServerInspection(database.settings(), on: database.loop)
            defer { server.close() }
            let rights = try await server.rights(of: [role])
            let sentence = rights.first?.refusal(for: test.duty)?.sentence
            #expect(sentence == test.refusal?.replacing("$r", with: role))
            #expect(rights.count == 1)
        }
    }

    @Test(
        "the roles of the migrations may start, each for its program",
        arguments: [
            ("token_issuer", RoleRights.Duty.issuing), ("event_relay", .publishing),
            ("projector", .projecting),
        ]
    )
    func own(_ role: String, _ duty: RoleRights.Duty) async throws {
        try await TestDatabase.with { database in
            // As the role itself: it must be able to ask.
            let settings = database.settings(as: role)
            let server = try await ServerInspection(settings, on: database.loop)
            defer { server.close() }
            let refusals = try await server.startRefusals(of: role, for: duty, isSingleNode: true)
            #expect(refusals.isEmpty, "\(refusals)")
            let alone = try await server.startRefusals(of: role, for: duty, isSingleNode: false)
            #expect(alone == [Durability.noStandby])
        }
    }

    private static let safe = [
        "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
        "data_checksums": "on", "synchronous_standby_names": "",
        "default_transaction_isolation": "read committed",
    ]

    @Test(
        "a setting that loses what was acknowledged, or with which nothing is, is refused",
        arguments: [
            ("fsync", "off", true), ("full_page_writes", "off", true),
            ("synchronous_commit", "off", true), ("synchronous_commit", "local", true),
            ("synchronous_commit", "remote_apply", false), ("data_checksums", "off", true),
            ("fsync", "on", false), ("default_transaction_isolation", "serializable", true),
        ]
    )
    func durability(_ name: String, _ value: String, _ isRefused: Bool) {
        let refusals = Durability(Self.safe.merging([name: value]) { $1 }).refusals
        #expect(refusals.map(\.sentence) == (isRefused ? ["\(name) is \(value)"] : []))
    }

    @Test("what could not be asked is refused") func unknown() {
        #expect(Durability([:]).refusals.count == 5)
        #expect(!Durability([:]).hasStandby)
        #expect(Durability(["synchronous_standby_names": "ANY 1 (*)"]).hasStandby)
    }

    @Test("the gate ends the process with 78 and says why; for development it only says so")
    func gate() async throws {
        try await TestDatabase.with { database in
            let settings = database.settings()
            func gate(_ isInsecureDev: Bool, _ settings: ConnectionSettings) -> DatabaseGate {
                DatabaseGate(
                    settings,
                    for: .issuing,
                    isSingleNode: true,
                    isInsecureDev: isInsecureDev,
                    on: database.loop,
                    log: .discarding
                )
            }
            let strict = gate(false, settings)
            do throws(Component.StartFailure) {
                _ = try await strict.look()
                Issue.record("a superuser was let in")
            } catch {
                #expect(error.exitCode == .configuration)
                #expect(error.reason.contains("is a superuser. Use the role"))
            }
            #expect(strict.problem != nil)
            let lenient = gate(true, settings)
            _ = try await lenient.look()
            #expect(lenient.problem == nil)
            let own = gate(false, database.settings(as: "token_issuer"))
            _ = try await own.look()
            #expect(own.problem == nil)
        }
    }

    @Test("another schema ends it, for development too") func schema() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let gate = DatabaseGate(
                database.settings(),
                for: .issuing,
                isSingleNode: true,
                isInsecureDev: true,
                on: database.loop,
                log: .discarding
            )
            do throws(Component.StartFailure) {
                _ = try await gate.look()
                Issue.record("an empty database was taken")
            } catch { #expect(error.exitCode == .configuration) }
        }
    }

    @Test(
        "a database that is away is waited for, and looked at when it is there",
        arguments: [("token_issuer", true), ("event_relay", false)]
    )
    func away(_ role: String, _ isRight: Bool) async throws {
        try await TestDatabase.with { database in
            let later = "\(database.name)_later"
            var settings = database.settings(as: role)
            settings.database = later
            let gate = DatabaseGate(
                settings,
                for: .issuing,
                isSingleNode: true,
                isInsecureDev: false,
                on: database.loop,
                log: .discarding
            )
            let isThere = try await gate.look()
            #expect(!isThere)
            // And says why.
            #expect(try #require(gate.problem).contains("does not exist"))
            let server = try await database.connect(to: "postgres")
            defer { server.close() }
            let text = "CREATE DATABASE \(later) TEMPLATE \(database.name)"
            try await server.run(script: Array(text.utf8), deadline: .soon)
            let failure = await gate.watch()
            #expect((failure == nil) == isRight)
            #expect((gate.problem == nil) == isRight)
        }
    }
}
