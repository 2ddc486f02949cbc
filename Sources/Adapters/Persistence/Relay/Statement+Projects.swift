internal import Domain
internal import Postgres

extension Statement where Row == StreamRow {
    /// What the configuration and keys of projects are now, in the order of their streams.
    static func projectConfigurations(of projects: [ProjectNumber]) -> Self {
        Statement(
            PackageResources.project_configurations_sql,
            [.int2s(projects.map(\.value))],
            read: streamRow
        )
    }
}

extension Statement where Row == StreamID {
    /// Where the configuration of a project of this number begins.
    static func firstConfigurations(of project: ProjectNumber) -> Self {
        Statement(
            PackageResources.first_configurations_sql,
            [.int2(project.value)]
        ) { row throws(PostgresError) in StreamID(halves: try row.uuid(0)) }
    }
}

/// The newest event of one type in a project's configuration or keys.
struct SettingsHead: Hashable, Sendable {
    let project: Int16
    let type: Int16
    let version: Int32
    let hash: [UInt8]
}

extension Statement where Row == SettingsHead {
    /// Those of every project: the same again while nothing of it has changed.
    static var settingsHeads: Self {
        Statement(PackageResources.settings_heads_sql) { row throws(PostgresError) in
            SettingsHead(
                project: try row.int2(0),
                type: try row.int2(1),
                version: try row.int4(2),
                hash: try row.bytes(3)
            )
        }
    }
}

/// A client that a document brought and the one before had not.
struct AddedClient: Sendable {
    let project: Int16
    let client: String
    let at: Instant
}

extension Statement where Row == AddedClient {
    /// Those of the last two hours, of each project in the order in which they came.
    static func addedClients(of projects: [ProjectNumber]) -> Self {
        Statement(
            PackageResources.added_clients_sql,
            [.int2s(projects.map(\.value))]
        ) { row throws(PostgresError) in
            AddedClient(
                project: try row.int2(0),
                client: try row.text(1),
                at: Instant(microseconds: try row.timestamp(2))
            )
        }
    }
}
