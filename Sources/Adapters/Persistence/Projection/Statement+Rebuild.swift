internal import Domain
internal import Postgres
internal import Publishing

/// Where a rebuild stands.
struct RebuildState: Sendable {
    let log: StreamID
    let frontier: Int64
}

extension Statement where Row == RebuildState {
    static var rebuildState: Self {
        Statement(PackageResources.rebuild_state_sql) { row throws(PostgresError) in
            RebuildState(log: StreamID(halves: try row.uuid(0)), frontier: try row.int8(1))
        }
    }
}

extension Statement where Row == Int32 {
    static func beginRebuild(_ restart: Bool) -> Self {
        Statement(PackageResources.begin_rebuild_sql, [.bool(restart)]) {
            row throws(PostgresError) in try row.int4(0)
        }
    }
}

extension Statement where Row == Int64 {
    static var ledgerHead: Self {
        Statement(PackageResources.ledger_head_sql) { row throws(PostgresError) in
            try row.int8(0)
        }
    }
}

extension Statement where Row == BlockedKey {
    static var rebuildBlocked: Self {
        Statement(PackageResources.rebuild_blocked_sql) { row throws(PostgresError) in
            BlockedKey(
                key: try row.bytes(0),
                partition: -1,
                offset: -1,
                index: try row.int8(1),
                stream: nil,
                reason: try row.text(2)
            )
        }
    }
}

extension Statement where Row == PostgresRebuild.Difference {
    static func finishRebuild(
        _ generation: Int32,
        _ topic: String,
        _ cluster: String,
        _ offsets: [Int32: Int64],
        losesRevocations: Bool
    ) -> Self {
        let places = offsets.sorted { $0.key < $1.key }
        return Statement(
            PackageResources.finish_rebuild_sql,
            [
                .int4(generation), .text(topic), .text(cluster), .int4s(places.map(\.key)),
                .int8s(places.map(\.value)), .bool(losesRevocations),
            ]
        ) { row throws(PostgresError) in
            PostgresRebuild.Difference(added: try row.int8(0), gone: try row.int8(1))
        }
    }
}
