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
        /// Of events, and of numbers.
        package var differenceCount: Int64 = 0
        /// The first of them, of events.
        package var differences: [LogDifference] = []
        /// And of numbers: those that were given, and that the ledger lacks.
        package var missingNumbers: [ClosedRange<Int64>] = []
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
        let numbers = try await given(before: 0)
        try await compare(&progress, numbers, tell) { .verifiedLedger(after: $0) }
        return progress.report
    }

    /// The number that the relay gives next, as its cursor has it.
    package func nextNumber() async throws(PostgresError) -> Int64 {
        try await given(before: 0).next
    }

    /// What was published with this number or a later one, each event with its link to its last.
    ///
    /// The number before it has to be there, too. `index` is not above `nextNumber`.
    package func published(since index: Int64, showing max: Int, _ tell: (Report) -> Void)
        async throws(PostgresError) -> Report
    {
        var progress = Progress(showing: max)
        let numbers = try await given(before: index)
        // A number that was taken out is looked for like those behind it.
        progress.report.nextIndex = numbers.hasLast ? index : index - 1
        try await compare(&progress, numbers, tell) { .verifiedEvents(after: $0) }
        return progress.report
    }

    /// Asked for before the ledger is read: both are written in one transaction, and neither goes
    /// back, so the ledger has at least as much by then.
    private func given(before index: Int64) async throws(PostgresError) -> GivenNumbers {
        let rows = try await connection.query(.givenNumbers(before: index), deadline: deadline)
        // Without a cursor nothing says how far the ledger goes.
        return rows.first ?? GivenNumbers(next: 0, hasLast: true)
    }

    private func compare(
        _ progress: inout Progress,
        _ numbers: GivenNumbers,
        _ tell: (Report) -> Void,
        _ statement: (_ after: Int64) -> Statement<PublishedEvent>
    ) async throws(PostgresError) {
        while true {
            let page = try await connection.query(
                statement(progress.report.nextIndex - 1),
                deadline: deadline
            )
            guard !page.isEmpty else { return progress.reach(numbers.next) }
            for event in page {
                progress.reach(event.index)
                progress.report.nextIndex = event.index + 1
                if event.isInFull { progress.report.eventCount += 1 }
                progress.note(event.difference { TokenDigest(words: SHA256.words($0)) })
            }
            progress.report.publishedCount += Int64(page.count)
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
            if !isFull { report.differences.append(difference) }
        }

        /// The ledger is dense from 0 on: what lies between where it was and `index` is not there.
        mutating func reach(_ index: Int64) {
            let expected = report.nextIndex
            guard index > expected else { return }
            report.differenceCount += 1
            if !isFull { report.missingNumbers.append(expected...index - 1) }
            report.nextIndex = index
        }

        private var isFull: Bool {
            report.differences.count + report.missingNumbers.count >= differencesMax
        }

        mutating func told(_ tell: (Report) -> Void) {
            let now = MonotonicInstant.now()
            guard now >= lastTold.advanced(by: LogVerification.tellInterval) else { return }
            lastTold = now
            tell(report)
        }
    }
}
