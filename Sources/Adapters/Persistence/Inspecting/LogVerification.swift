internal import Crypto
internal import Domain
package import EventFormat
package import Postgres
package import Runtime

/// Reads the log through, and looks whether it is as it was written (`chancery verify`).
///
/// A page at a time, each a statement of its own: it holds nothing back, and keeps a page and the
/// last event in memory. What is appended meanwhile behind the place where it is, it passes by.
package struct LogVerification: Sendable {
    /// What was looked at, and what was found.
    package struct Report: Hashable, Sendable {
        /// Events whose hash was reckoned anew.
        package var eventCount: Int64 = 0
        /// Their streams; nil where they came in the published order.
        package var streamCount: Int64?
        /// Numbers of the published order that were compared with the log.
        package var publishedCount: Int64 = 0
        /// The number behind the last of them.
        package var nextIndex: Int64 = 0
        package var differenceCount: Int64 = 0
        /// The first of them.
        package var differences: [LogDifference] = []
    }

    private static let answerMax = Duration.seconds(60)
    private static let tellInterval = Duration.seconds(1)

    private let connection: Connection

    /// Connects, as a role that may read the log and the ledger.
    ///
    /// - Throws: `.cannotConnect`, `.deadlineExceeded`.
    package init(_ settings: ConnectionSettings, on loop: Loop) async throws(PostgresError) {
        var settings = settings
        settings.silenceMax = Self.answerMax
        settings.options += [
            ("statement_timeout", "60s"),
            // As the processes' roles have it: every statement has its index.
            ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"),
            ("enable_bitmapscan", "off"), ("jit", "off"),
            ("client_connection_check_interval", "1s"),
        ]
        connection = try await Connection.connect(
            settings,
            on: loop,
            deadline: .now().advanced(by: .seconds(10))
        )
    }

    /// Ends the connection.
    package func close() { connection.close() }

    /// All streams with their chains, and then whether what was published is there as it was.
    ///
    /// `showing`: so many differences are kept, all are counted. `tell` hears of the progress once
    /// a second.
    package func whole(showing max: Int, _ tell: (Report) -> Void)
        async throws(PostgresError) -> Report
    {
        var progress = Progress(showing: max)
        progress.report.streamCount = 0
        var chains = ChainCheck { TokenDigest(words: SHA256.words($0)) }
        var stream = StreamID(high: 0, low: 0)
        var version: Int32 = 0
        while true {
            let page = try await connection.query(
                .verifiedStreams(after: stream, version),
                deadline: deadline
            )
            guard let last = page.last else { break }
            for row in page { progress.note(chains.take(row)) }
            (stream, version) = (last.stream, last.version)
            progress.report.eventCount = chains.eventCount
            progress.report.streamCount = chains.streamCount
            progress.told(tell)
        }
        try await compare(&progress, tell) { .verifiedLedger(after: $0) }
        return progress.report
    }

    /// What was published with this number or a later one, each event with its link to the one
    /// before it.
    package func published(since index: Int64, showing max: Int, _ tell: (Report) -> Void)
        async throws(PostgresError) -> Report
    {
        var progress = Progress(showing: max)
        progress.report.nextIndex = index
        try await compare(&progress, tell) { .verifiedEvents(after: $0) }
        return progress.report
    }

    private func compare(
        _ progress: inout Progress,
        _ tell: (Report) -> Void,
        _ statement: (_ after: Int64) -> Statement<PublishedEvent>
    ) async throws(PostgresError) {
        while true {
            let page = try await connection.query(
                statement(progress.report.nextIndex - 1),
                deadline: deadline
            )
            guard let last = page.last else { return }
            for event in page {
                if event.isInFull { progress.report.eventCount += 1 }
                progress.note(event.difference { TokenDigest(words: SHA256.words($0)) })
            }
            progress.report.publishedCount += Int64(page.count)
            progress.report.nextIndex = last.index + 1
            progress.told(tell)
        }
    }

    private var deadline: MonotonicInstant { .now().advanced(by: Self.answerMax) }
}

extension LogVerification {
    /// What was found until now, and when it was told of.
    private struct Progress {
        var report = Report()
        private let differencesMax: Int
        private var lastTold = MonotonicInstant.now()

        init(showing max: Int) { differencesMax = max }

        mutating func note(_ difference: LogDifference?) {
            guard let difference else { return }
            report.differenceCount += 1
            if report.differences.count < differencesMax { report.differences.append(difference) }
        }

        mutating func told(_ tell: (Report) -> Void) {
            let now = MonotonicInstant.now()
            guard now >= lastTold.advanced(by: LogVerification.tellInterval) else { return }
            lastTold = now
            tell(report)
        }
    }
}
