package import Postgres
package import Runtime

extension ServerPulse {
    /// The pulse of the server that `settings` name.
    package convenience init(_ settings: ConnectionSettings, on loop: Loop) {
        self.init(settings, on: loop, beat: Statement(PackageResources.beat_sql))
    }
}
