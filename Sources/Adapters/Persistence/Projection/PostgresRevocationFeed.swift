package import Domain
internal import Postgres
package import Publishing
internal import Runtime

/// The feed of revocations, out of the read model.
///
/// Where the projector of this process is active, it rings the bell after each commit; where
/// another's is, one look at the database every 50 ms serves all who wait.
package final class PostgresRevocationFeed: RevocationFeed {
    private static let pageMax = Duration.seconds(3)
    /// Few of the 64 that a connection takes: an ask that was given up is under way there still,
    /// and clock and settings want to be asked, too.
    private static let asksMax = 8
    private static let lookEvery = Duration.milliseconds(50)

    private let database: Database
    private let bell: FeedBell
    private let line: AskingLine
    private let ourTime: @Sendable () -> Instant

    /// Reads through `database`; all readers are on the loop of the bell.
    package init(
        _ database: Database,
        bell: FeedBell,
        ourTime: @escaping @Sendable () -> Instant = {
            Instant(microseconds: WallTime.nowMicroseconds())
        }
    ) {
        self.database = database
        self.bell = bell
        self.ourTime = ourTime
        line = AskingLine(on: bell.loop, atOnce: Self.asksMax)
    }

    package func page(
        of project: ProjectNumber,
        after: FeedPlace?,
        limit: Int
    ) async -> RevocationPage? {
        let statement = Statement.feed(
            PostgresProjection.name,
            project,
            after: after,
            limit: limit,
            at: ourTime()
        )
        // Without a model there is nothing yet that a place could be a place of.
        guard let rows = await ask(statement), let state = rows.first?.state,
            let model = state.model
        else { return nil }
        let items = rows.compactMap(\.record).sorted { $0.index < $1.index }
        let isFull = items.count >= limit
        let place = after ?? FeedPlace(index: -1, late: state.late)
        var next = place
        if rows.contains(where: \.isLate) {
            next.late = isFull ? items.compactMap(\.lateNumber).max() ?? state.late : state.late
        } else {
            next.late = max(place.late, state.late)
            next.index =
                isFull ? items.last?.index ?? place.index : max(place.index, state.frontier)
        }
        // What further pages have is not there yet: no claim before the last one.
        let isLast = next.index >= state.frontier && next.late >= state.late
        return RevocationPage(
            items: items,
            model: model,
            late: state.late,
            next: next,
            watermark: isLast ? state.watermark : nil
        )
    }

    package var isEnding: Bool { bell.isClosed }

    package var mark: UInt64 { bell.count }

    package func news(since mark: UInt64, within time: Duration) async {
        await bell.wait(since: mark, atMost: time, lookingEvery: Self.lookEvery) { [self] in
            await state().map { FeedPlace(index: $0.frontier, late: $0.late) }
        }
    }

    private func state() async -> LogState? {
        await ask(.projectionLog(PostgresProjection.name))?.first
    }

    private func ask<Row>(_ statement: Statement<Row>) async -> [Row]? {
        let deadline = MonotonicInstant.now().advanced(by: Self.pageMax)
        guard let keeper = try? database.keeper() else { return nil }
        return await line.ask(by: deadline) {
            try? await keeper.query(statement, deadline: deadline)
        }
    }
}
