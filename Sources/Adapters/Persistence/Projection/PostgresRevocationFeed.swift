package import Domain
internal import Postgres
package import Publishing
internal import Runtime

/// The feed of revocations, out of the read model.
///
/// Where the projector of this process is active, it rings the bell after each commit; where
/// another's is, one look at the database every 50 ms serves all who wait.
package final class PostgresRevocationFeed: RevocationFeed {
    /// Few of the 64 that a connection takes: an ask that was given up is under way there still,
    /// and clock and settings want to be asked, too.
    private static let asksMax = 8
    private static let lookEvery = Duration.milliseconds(50)

    private let pageMax: Duration
    private let database: Database
    private let bell: FeedBell
    private let line: AskingLine
    private let pages: SharedPages

    /// Reads through `database`; all readers are on the loop of the bell, and wait for `pageMax`.
    package init(
        _ database: Database,
        bell: FeedBell,
        pageMax: Duration = .seconds(3),
        ourTime: @escaping @Sendable () -> Instant = {
            Instant(microseconds: WallTime.nowMicroseconds())
        }
    ) {
        self.database = database
        self.bell = bell
        self.pageMax = pageMax
        let line = AskingLine(on: bell.loop, atOnce: Self.asksMax)
        self.line = line
        pages = SharedPages(on: bell.loop, through: line) { question, deadline in
            await PostgresRevocationFeed.read(
                question,
                of: database,
                at: ourTime(),
                by: deadline
            )
        }
    }

    package func page(
        of project: ProjectNumber,
        after: FeedPlace?,
        limit: Int
    ) async -> RevocationPage? {
        await pages.page(
            SharedPages.Question(project: project, after: after, limit: limit),
            by: deadline()
        )
    }

    private static func read(
        _ question: SharedPages.Question,
        of database: Database,
        at ourTime: Instant,
        by deadline: MonotonicInstant
    ) async -> RevocationPage? {
        let statement = Statement.feed(
            PostgresProjection.name,
            question.project,
            after: question.after,
            limit: question.limit,
            at: ourTime
        )
        // Without a model there is nothing yet that a place could be a place of.
        guard let keeper = try? database.keeper(),
            let rows = try? await keeper.query(statement, deadline: deadline),
            let state = rows.first?.state, let model = state.model
        else { return nil }
        let items = rows.compactMap(\.record).sorted { $0.index < $1.index }
        let isFull = items.count >= question.limit
        let place = question.after ?? FeedPlace(index: -1, late: state.late)
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
        guard let keeper = try? database.keeper() else { return nil }
        let deadline = self.deadline()
        let statement = Statement.projectionLog(PostgresProjection.name)
        let rows: [LogState]? = await line.ask(by: deadline) {
            try? await keeper.query(statement, deadline: deadline)
        }
        return rows?.first
    }

    private func deadline() -> MonotonicInstant { .now().advanced(by: pageMax) }
}
