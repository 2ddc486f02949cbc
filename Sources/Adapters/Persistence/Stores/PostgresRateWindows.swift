package import Domain
package import Issuing
internal import Postgres

/// Exact counters over all nodes, in `limits.windows` (Security 9).
package struct PostgresRateWindows: RateWindows {
    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func take(
        _ uses: [WindowUse],
        at now: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> Bool {
        guard !uses.isEmpty else { return true }
        return try await database.execute(.take(uses, at: now), by: deadline) == [true]
    }

    package func haveRoom(
        _ uses: [WindowUse],
        at now: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> Bool {
        guard !uses.isEmpty else { return true }
        return try await database.execute(.haveRoom(uses, at: now), by: deadline) == [true]
    }

    package func hasCounted(
        _ use: WindowUse,
        at now: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> Bool {
        try await database.execute(.hasCounted(use, at: now), by: deadline) == [true]
    }
}

extension Statement where Row == Bool {
    fileprivate static func take(_ uses: [WindowUse], at now: Instant) -> Self {
        Statement(PackageResources.take_windows_sql, uses, at: now)
    }

    fileprivate static func haveRoom(_ uses: [WindowUse], at now: Instant) -> Self {
        Statement(PackageResources.windows_have_room_sql, uses, at: now)
    }

    private init(_ sql: [UInt8], _ uses: [WindowUse], at now: Instant) {
        self.init(
            sql,
            [
                .byteStrings(uses.lazy.map(\.key.bytes)),
                .int4s(uses.lazy.map { Int32(clamping: $0.windowSeconds) }),
                .timestamps(uses.lazy.map { $0.start(at: now).microseconds }),
                .int4s(uses.lazy.map { Int32(clamping: $0.maximum) }),
            ]
        ) { row throws(PostgresError) in try row.bool(0) }
    }

    fileprivate static func hasCounted(_ use: WindowUse, at now: Instant) -> Self {
        Statement(
            PackageResources.window_has_counted_sql,
            [
                .bytes(use.key.bytes),
                .int4(Int32(clamping: use.windowSeconds)),
                .timestamp(use.start(at: now).microseconds),
            ]
        ) { row throws(PostgresError) in try row.bool(0) }
    }
}

extension WindowUse {
    /// Windows follow each other without gaps from 1970 on, the same on every node.
    fileprivate func start(at now: Instant) -> Instant {
        let length = max(1, windowSeconds)
        return Instant(seconds: now.seconds - now.seconds % length)
    }
}
