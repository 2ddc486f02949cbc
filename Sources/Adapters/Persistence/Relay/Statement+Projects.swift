internal import Postgres

extension Statement where Row == LogRow {
    /// Every event of every project's configuration and keys, in the order of their streams.
    static var projectConfigurations: Self {
        Statement(PackageResources.project_configurations_sql, read: logRow)
    }
}
