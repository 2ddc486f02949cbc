internal import Postgres

/// How far the read model of revocations is, as its tables say.
package struct ProjectionFacts: Hashable, Sendable {
    /// The last number of the published order; -1 before the first.
    package var head: Int64
    /// Everything up to this number is applied; nil when no projector has ever run.
    package var frontier: Int64?
    /// Age in seconds of the instant up to which it is complete, negative when that has not come
    /// yet; nil before the first watermark.
    package var lagSeconds: Int64?
    /// Keys that are stopped.
    package var blockedCount: Int64
    /// The first of them, from which number on, and why.
    package var firstBlocked: String?
}

extension Statement where Row == ProjectionFacts {
    static var projectionFacts: Self {
        Statement(
            PackageResources.projection_facts_sql,
            [.text(PostgresProjection.name)]
        ) { row throws(PostgresError) in
            ProjectionFacts(
                head: try row.int8(0),
                frontier: try row.optionalInt8(1),
                lagSeconds: try row.optionalInt8(2),
                blockedCount: try row.int8(3),
                firstBlocked: try row.optionalText(4)
            )
        }
    }
}
