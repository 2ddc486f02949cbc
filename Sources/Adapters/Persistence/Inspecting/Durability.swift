internal import Postgres

/// What the settings of a session say about acknowledged events, and about the guards that they
/// were let in by (Security 10, points 6, 7).
package struct Durability: Sendable {
    /// The settings that are asked for.
    package static let settings = [
        "fsync", "full_page_writes", "synchronous_commit", "data_checksums",
        "synchronous_standby_names", ConnectionSettings.isolation.name,
    ]

    private let values: [String: String]

    /// Takes the values of `settings`, by name.
    package init(_ values: [String: String]) { self.values = values }

    /// Whether a commit waits for another server.
    package var hasStandby: Bool { values["synchronous_standby_names"]?.isEmpty == false }

    /// What would lose acknowledged events in a crash, hide that they are damaged, or have every
    /// append refused.
    package var refusals: [StartRefusal] {
        var found: [StartRefusal] = []
        for name in ["fsync", "full_page_writes"] where value(name) != "on" {
            found.append(wrong(name, "Set \(name) = on: without it a crash loses events."))
        }
        // The other values wait for a standby and for the disk here.
        if !["on", "remote_apply", "remote_write"].contains(value("synchronous_commit")) {
            found.append(
                wrong(
                    "synchronous_commit",
                    "Set synchronous_commit = on: without it a crash loses acknowledged events."
                )
            )
        }
        if value("data_checksums") != "on" {
            found.append(wrong("data_checksums", "Stop the server; pg_checksums --enable."))
        }
        let isolation = ConnectionSettings.isolation
        if value(isolation.name) != isolation.value {
            found.append(
                wrong(
                    isolation.name,
                    "We ask for \(isolation.value) as we connect; something in between leaves it"
                        + " out: connect to PostgreSQL itself."
                )
            )
        }
        return found
    }

    /// Refused unless `database.durability` says that one server is meant.
    package static let noStandby = StartRefusal(
        "database.durability",
        "synchronous-standby, but the server has no synchronous standby",
        "Set synchronous_standby_names, or say durability: single-node and mean it."
    )

    private func value(_ name: String) -> String { values[name] ?? "unknown" }

    private func wrong(_ name: String, _ remedy: String) -> StartRefusal {
        StartRefusal("database", "\(name) is \(value(name))", remedy)
    }
}
