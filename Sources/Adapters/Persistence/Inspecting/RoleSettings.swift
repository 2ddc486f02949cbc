internal import Postgres

/// The settings that a login role brings along (migration 1).
///
/// They are given once: a role made by hand, or of a cluster that a dump came into, lacks them.
package struct RoleSettings: Sendable {
    /// Without these no statement ends before whoever asked has given up: what became of it is not
    /// known then, and the relay waits for as long as it lasts.
    package static let limits = ["statement_timeout", "lock_timeout"]

    private let role: String
    private let values: [String: String]

    /// Takes the values by name; 0 is no limit.
    package init(of role: String, _ values: [String: String]) {
        self.role = role
        self.values = values
    }

    /// What the first migration gives, as it writes it, where the server's own is another.
    ///
    /// `synchronous_commit` is not among them: it has values that are as good (`Durability`).
    package static func wanted(for duty: RoleRights.Duty) -> [(name: String, value: String)] {
        var wanted = [
            (name: "statement_timeout", value: duty == .publishing ? "30s" : "3s"),
            (name: "lock_timeout", value: "1s"),
            (name: "idle_in_transaction_session_timeout", value: "10s"),
            (name: "search_path", value: ""),
            (name: "jit", value: "off"),
            (name: "plan_cache_mode", value: "force_generic_plan"),
            (name: "enable_seqscan", value: "off"),
            (name: "enable_bitmapscan", value: "off"),
        ]
        if duty == .publishing { wanted.append((name: "enable_sort", value: "off")) }
        return wanted
    }

    /// All that is compared: what `chancery migrate` sets, and the isolation, which it does not set
    /// but nobody may set otherwise.
    static var names: [String] {
        wanted(for: .publishing).map(\.name) + [ConnectionSettings.isolation.name]
    }

    /// Why no process may append as this role; the others wait for nobody's outcome.
    package func refusal(for duty: RoleRights.Duty) -> StartRefusal? {
        guard duty == .issuing else { return nil }
        let missing = Self.wanted(for: duty).filter { setting in
            Self.limits.contains(setting.name) && (values[setting.name] ?? "0") == "0"
        }
        return refusal(missing)
    }

    /// What is otherwise than `chancery migrate` made it, limits or not.
    package func difference(for duty: RoleRights.Duty) -> StartRefusal? {
        var different = Self.wanted(for: duty).filter { setting in
            // A list is kept with its quotation marks.
            let value = values[setting.name]
            return value != setting.value && value != "\"\(setting.value)\""
        }
        // Our own connections ask for it all the same.
        let isolation = ConnectionSettings.isolation
        if let value = values[isolation.name], value.lowercased() != isolation.value {
            different.append(isolation)
        }
        return refusal(different)
    }

    private func refusal(_ settings: [(name: String, value: String)]) -> StartRefusal? {
        guard !settings.isEmpty else { return nil }
        let names = settings.map(\.name).joined(separator: ", ")
        let orders = settings.map { "\(role) SET \($0.name) = '\($0.value)'" }
            .joined(separator: "; ALTER ROLE ")
        return StartRefusal(
            "database.user",
            "\(role) is not set as chancery migrate made it: \(names)",
            "As a superuser, or who made the role: ALTER ROLE \(orders);"
                + " then start its process again."
                + " What ALTER ROLE … IN DATABASE has set goes before that: RESET it there."
        )
    }
}

/// A row of `role_settings.sql`.
struct RoleSettingRow: Sendable {
    var role: String
    var name: String
    var value: String?
}

extension Statement where Row == RoleSettingRow {
    static func roleSettings(of roles: [String], _ names: [String]) -> Self {
        Statement(PackageResources.role_settings_sql, [.texts(roles), .texts(names)]) {
            row throws(PostgresError) in
            RoleSettingRow(
                role: try row.text(0),
                name: try row.text(1),
                value: try row.optionalText(2)
            )
        }
    }
}
