internal import Postgres

extension Statement where Row == LogRow {
    /// What every project's configuration and keys are now, in the order of their streams.
    static var projectConfigurations: Self {
        Statement(PackageResources.project_configurations_sql, read: logRow)
    }
}
