import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("What a process asks before it starts", .keepsClusterOnFailure) struct StartFactsTests {
    private static let durable = [
        "data_checksums": "on", "fsync": "on", "full_page_writes": "on",
        "synchronous_commit": "on", "synchronous_standby_names": "",
    ]

    private static func facts(
        version: Int32 = 150_014,
        encoding: String = "UTF8",
        rights: Set<String> = ["token-issuer"],
        _ changes: [String: String] = [:]
    ) -> StartFacts {
        StartFacts(
            version: version,
            encoding: encoding,
            role: "somebody",
            rights: rights,
            settings: durable.merging(changes) { $1 }
        )
    }

    /// One fault, and how its line begins.
    static let rows: [(line: String, facts: StartFacts)] = [
        ("database: PostgreSQL 14.9 is", facts(version: 140_009)),
        ("database.name: the encoding of the database is LATIN1", facts(encoding: "LATIN1")),
        ("database: fsync is off", facts(["fsync": "off"])),
        ("database: full_page_writes is off", facts(["full_page_writes": "off"])),
        ("database: synchronous_commit is off", facts(["synchronous_commit": "off"])),
        ("database: synchronous_commit is local", facts(["synchronous_commit": "local"])),
        ("database: data_checksums is off", facts(["data_checksums": "off"])),
        (
            "database.user: somebody is a superuser",
            facts(rights: ["superuser", "owner", "writer"])
        ),
        ("database.user: somebody owns es.events", facts(rights: ["owner", "writer"])),
        ("database.user: somebody may write es.events", facts(rights: ["writer"])),
        (
            "database.user: somebody has the rights of event-relay and token-issuer",
            facts(rights: ["token-issuer", "event-relay"])
        ),
    ]

    @Test("each fault is one line that names its setting", arguments: rows)
    func fault(_ row: (line: String, facts: StartFacts)) {
        let lines = row.facts.refusals(isSingleNode: true)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix(row.line) == true, "\(lines)")
    }

    @Test("a standby, or the word that there is none") func standby() {
        #expect(
            Self.facts().refusals(isSingleNode: false).first?.hasPrefix("database.durability:")
                == true
        )
        #expect(Self.facts().refusals(isSingleNode: true).isEmpty)
        let named = Self.facts(["synchronous_standby_names": "ANY 1 (a, b)"])
        #expect(named.refusals(isSingleNode: false).isEmpty)
        let applied = Self.facts(["synchronous_commit": "remote_apply"])
        #expect(applied.refusals(isSingleNode: true).isEmpty)
    }

    /// What a login may, as the server says it.
    static let logins: [(role: String, rights: Set<String>)] = [
        ("token_issuer", ["token-issuer"]), ("event_relay", ["event-relay"]),
        ("projector", ["revocation-projector"]),
    ]

    @Test("each process's role has its own rights and no more", arguments: logins)
    func roles(_ row: (role: String, rights: Set<String>)) async throws {
        try await TestDatabase.with { database in
            let facts = try await StartFacts(database.settings(as: row.role), on: database.loop)
            #expect(facts.rights == row.rights && facts.role == row.role)
            #expect(facts.refusals(isSingleNode: true).isEmpty)
            let superuser = try await StartFacts(database.settings(), on: database.loop)
            #expect(superuser.rights.isSuperset(of: ["superuser", "owner", "writer"]))
            #expect(superuser.refusals(isSingleNode: true).count == 1)
        }
    }
}
