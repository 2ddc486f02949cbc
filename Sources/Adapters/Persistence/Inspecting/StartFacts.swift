package import Postgres
package import Runtime

/// What a process finds out about server and role before it starts (security.md section 10, 5–7).
package struct StartFacts: Hashable, Sendable {
    /// Off means that a crash loses what was acknowledged.
    static let durable = ["data_checksums", "fsync", "full_page_writes", "synchronous_commit"]
    private static let standbys = "synchronous_standby_names"

    /// Such as 150020.
    package var version: Int32
    package var encoding: String
    /// The role that the process connects as.
    package var role: String
    /// `superuser`, `owner`, `writer` of events; the processes whose rights the role has.
    package var rights: Set<String>
    /// Settings of the server by name.
    package var settings: [String: String]

    package init(
        version: Int32,
        encoding: String,
        role: String,
        rights: Set<String>,
        settings: [String: String]
    ) {
        self.version = version
        self.encoding = encoding
        self.role = role
        self.rights = rights
        self.settings = settings
    }

    /// Asks the server.
    ///
    /// - Throws: what keeps it from answering.
    package init(_ connection: ConnectionSettings, on loop: Loop) async throws(PostgresError) {
        let server = try await ServerInspection(connection, on: loop)
        defer { server.close() }
        self = try await server.startFacts(Self.durable + [Self.standbys])
    }

    /// Why a process must not start with them, one line each, which begins with the setting.
    package func refusals(isSingleNode: Bool) -> [String] {
        var lines: [String] = []
        if version < 150_000 {
            let name = "\(version / 10_000).\(version % 10_000)"
            lines.append("database: PostgreSQL \(name) is too old, 15 is the oldest that will do")
        }
        if encoding != "UTF8" {
            lines.append("database.name: the encoding of the database is \(encoding), not UTF8")
        }
        lines += Self.durable.filter { !isOn($0) }.map { name in
            "database: \(name) is \(settings[name] ?? "unknown") on the server; a crash would lose "
                + "what was acknowledged"
        }
        if !isSingleNode, settings[Self.standbys, default: ""].isEmpty {
            lines.append(
                "database.durability: the server has no synchronous standby; set "
                    + "\(Self.standbys) there, or say single-node here and mean it"
            )
        }
        return lines + (roleProblem.map { ["database.user: \(role) \($0)"] } ?? [])
    }

    /// remote_apply and remote_write wait for at least what `on` waits for locally.
    private func isOn(_ name: String) -> Bool {
        let value = settings[name] ?? "unknown"
        return value == "on" || name == "synchronous_commit" && value.hasPrefix("remote")
    }

    /// One is enough: a superuser has every other fault, too.
    private var roleProblem: String? {
        if rights.contains("superuser") { return "is a superuser and could change events" }
        if rights.contains("owner") { return "owns es.events and could change events" }
        if rights.contains("writer") { return "may write es.events itself" }
        let processes = rights.sorted()
        guard processes.count > 1 else { return nil }
        return "has the rights of \(processes.joined(separator: " and ")): each process needs a "
            + "role of its own"
    }

    /// For a process that starts: a server that is away is no reason to end.
    ///
    /// - Throws: exit code 78 with all lines.
    package static func check(
        _ connection: ConnectionSettings,
        isSingleNode: Bool,
        on loop: Loop,
        log: Log
    ) async throws(Component.StartFailure) {
        let lines: [String]
        do throws(PostgresError) {
            lines = try await StartFacts(connection, on: loop).refusals(isSingleNode: isSingleNode)
        } catch {
            return log.warning(
                "server and role could not be checked",
                .field("error", "\(error)")
            )
        }
        guard lines.isEmpty else {
            throw Component.StartFailure(.configuration, lines.joined(separator: "; "))
        }
    }
}

extension ServerInspection {
    fileprivate func startFacts(_ names: [String]) async throws(PostgresError) -> StartFacts {
        guard let row = try await rows(.startFacts).first else {
            throw .unexpectedRow(column: 0)
        }
        return StartFacts(
            version: version,
            encoding: row.encoding,
            role: row.role,
            rights: Set(row.rights.split(separator: ",").map(String.init)),
            settings: try await settings(names)
        )
    }
}

/// A row of `start_facts.sql`.
private struct StartFactsRow: Sendable {
    var encoding: String
    var role: String
    var rights: String
}

extension Statement where Row == StartFactsRow {
    fileprivate static var startFacts: Self {
        Statement(PackageResources.start_facts_sql) { row throws(PostgresError) in
            StartFactsRow(
                encoding: try row.text(0),
                role: try row.text(1),
                rights: try row.text(2)
            )
        }
    }
}
