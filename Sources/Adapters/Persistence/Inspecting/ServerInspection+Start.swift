package import Domain
package import Postgres

extension ServerInspection {
    /// What these login roles may do in our schema; roles that do not exist are left out.
    package func rights(of roles: [String]) async throws(PostgresError) -> [RoleRights] {
        try await rows(.rights(of: roles))
    }

    /// What these login roles bring along into this database; roles that do not exist are left out.
    package func roleSettings(of roles: [String]) async throws(PostgresError)
        -> [String: RoleSettings]
    {
        var values: [String: [String: String]] = [:]
        for row in try await rows(.roleSettings(of: roles, RoleSettings.names)) {
            values[row.role, default: [:]][row.name] = row.value
        }
        return Dictionary(uniqueKeysWithValues: values.map { ($0, RoleSettings(of: $0, $1)) })
    }

    /// What the settings of this session say about acknowledged events and guards.
    package func durability() async throws(PostgresError) -> Durability {
        Durability(try await settings(Durability.settings))
    }

    /// Where the first project of the log begins; none: there is no project.
    ///
    /// More than one: as many root secrets made a first project here.
    package func firstProjects() async throws(PostgresError) -> [StreamID] {
        try await rows(.firstConfigurations(of: .first))
    }

    /// Why a process must not do `duty` here as `role` (Security 10, points 5 to 7,
    /// and decision 0218); asked as `role` itself.
    package func startRefusals(
        of role: String,
        for duty: RoleRights.Duty,
        isSingleNode: Bool
    ) async throws(PostgresError) -> [StartRefusal] {
        var found = try await rights(of: [role]).compactMap { $0.refusal(for: duty) }
        let limits = RoleSettings(of: role, try await settings(RoleSettings.limits))
        if let refusal = limits.refusal(for: duty) { found.append(refusal) }
        found += try await facts().refusals
        let durability = try await durability()
        found += durability.refusals
        if !isSingleNode, !durability.hasStandby { found.append(Durability.noStandby) }
        return found
    }
}

extension ServerInspection.Facts {
    /// The oldest server that the schema and the statements were written for.
    package static let versionMin: Int32 = 150_000

    /// Why this server cannot hold our log.
    package var refusals: [StartRefusal] {
        var found: [StartRefusal] = []
        if version < Self.versionMin {
            found.append(
                StartRefusal(
                    "database",
                    "PostgreSQL \(versionText) is too old",
                    "Chancery needs PostgreSQL 15 or later."
                )
            )
        }
        if encoding != "UTF8" {
            found.append(
                StartRefusal(
                    "database.name",
                    "the database's encoding is \(encoding)",
                    "Make it anew: createdb --encoding UTF8 --template template0."
                )
            )
        }
        return found
    }

    /// Such as 15.8.
    package var versionText: String { "\(version / 10_000).\(version % 10_000)" }
}
