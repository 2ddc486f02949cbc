import Domain
import EventFormat
import Issuing
import Postgres
import Publishing

/// How far the issuers are in the ends of the log (`es.endings_cursor`).
struct EndingTable {
    var place: LogPosition
    var leasedUntil = Instant(microseconds: 0)
}

/// An issuer's way to the ends of the simulated log.
struct SimulatedEndingLog: EndingLog {
    /// As in `endings_read.sql` and `hold_endings.sql`.
    private static let ageMilliseconds: Int64 = 5_000
    private static let leaseMilliseconds: Int64 = 30_000

    let connection: SimulatedLogConnection
    private var database: SimulatedDatabase { connection.database }
    private var world: World { connection.world }

    init(over connection: SimulatedLogConnection) { self.connection = connection }

    func nextDue(
        by deadline: Deadline,
        _ body: ([RecordedEnding]) async -> Int
    ) async throws(StoreError) -> Int {
        guard let held = try await hold(), !held.rows.isEmpty else { return 0 }
        let count = await body(held.rows.map(\.ending))
        let last = held.rows.prefix(count).last?.place ?? held.place
        try await pass(from: held.place, to: last)
        return count
    }

    private struct Held: Sendable {
        var place: LogPosition
        var rows: [(place: LogPosition, ending: RecordedEnding)]
    }

    /// What is due, leased; nil when another node has it.
    private func hold() async throws(StoreError) -> Held? {
        try await ask { [database, world] answer in
            let now = world.wallTime
            guard database.endings.leasedUntil <= now else { return answer(nil) }
            let due = now.adding(milliseconds: -Self.ageMilliseconds)
            let rows = database.unfollowed.filter { $0.place.xid < database.oldestOpen }
                .prefix(RecordedEnding.pageMax).prefix { $0.recordedAt <= due }
            if !rows.isEmpty {
                let end = now.adding(milliseconds: Self.leaseMilliseconds)
                database.endings.leasedUntil = end
            }
            let ends = rows.compactMap { row in Self.ending(row).map { (row.place, $0) } }
            answer(Held(place: database.endings.place, rows: ends))
        }
    }

    private func pass(from: LogPosition, to: LogPosition) async throws(StoreError) {
        try await ask { [database] answer in
            if database.endings.place == from { database.endings = EndingTable(place: to) }
            answer(())
        }
    }

    private func ask<Answer: Sendable>(_ serve: @escaping (@escaping (Answer) -> Void) -> Void)
        async throws(StoreError) -> Answer
    {
        do throws(PostgresError) { return try await connection.ask(serve) } catch {
            throw .unavailable
        }
    }

    private static func ending(_ row: SimulatedDatabase.Row) -> RecordedEnding? {
        StoredType(rawValue: row.event.type).map {
            RecordedEnding(
                row.event.stream,
                $0.kind,
                in: row.event.project,
                isErasure: $0 == .subjectErased
            )
        }
    }
}

extension SimulatedDatabase {
    /// The types of endings_read.sql, which are those of the index `events_endings`.
    private static let followed: [StoredType] = [
        .subjectDisabled, .subjectErased, .browserSessionEnded, .offlineGrantRevoked,
    ]

    /// The ends behind the cursor, in the order of the log.
    var unfollowed: [Row] {
        let types = Self.followed.map(\.rawValue)
        return rows.filter { types.contains($0.event.type) && $0.place > endings.place }
            .sorted { $0.place < $1.place }
    }
}
