internal import Migrations
package import Persistence

/// The schema this program was built for.
package enum SchemaSteps {
    /// Every migration, oldest first.
    package static let all = Migrations.all.compactMap {
        Migration(version: $0.version, name: $0.name, sql: $0.sql)
    }
}
