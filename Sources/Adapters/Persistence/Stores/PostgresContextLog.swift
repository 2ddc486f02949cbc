internal import Domain
package import Issuing
internal import Postgres
package import Runtime

/// Where commands came from, in `es.contexts`; what does not fit is dropped and counted, nobody
/// waits.
///
/// Rows of 100 ms go in together: a row alone would cost as much as the command it belongs to.
package final class PostgresContextLog: ContextLog {
    /// Rows one loop holds back.
    package static let waitingMax = 1024
    private static let interval = Duration.milliseconds(100)
    private static let writeMax = Duration.seconds(3)
    /// Losses that are closer to one another are one, and said once.
    private static let burst = Duration.seconds(60)

    private let database: Database
    private let lost: Counter
    private let log: Log
    private let lastLoss = Guarded<MonotonicInstant?>(nil)
    /// By loop.
    private let waiting = Guarded<[ObjectIdentifier: [RequestContext]]>([:])

    /// Works on the connections of `database`; says in `metrics` and `log` what was lost.
    package init(_ database: Database, _ metrics: Metrics, log: Log) {
        self.database = database
        self.log = log
        lost = metrics.counter(
            "chancery_contexts_lost_total",
            "Commands of which it was not recorded where they came from."
        )
    }

    package func record(_ context: RequestContext) {
        guard let loop = Loop.current else { return lose(1, "it came from no loop") }
        let count = waiting.withLock { waiting in
            let count = waiting[ObjectIdentifier(loop)]?.count ?? 0
            if count < Self.waitingMax {
                waiting[ObjectIdentifier(loop), default: []].append(context)
            }
            return count
        }
        guard count < Self.waitingMax else { return lose(1, "more than \(Self.waitingMax) wait") }
        guard count == 0 else { return }
        loop.schedule(at: loop.now.advanced(by: Self.interval)) { [self] in
            loop.spawn { [self] in await write(on: loop) }
        }
    }

    private func write(on loop: Loop) async {
        let contexts = waiting.withLock { $0.removeValue(forKey: ObjectIdentifier(loop)) ?? [] }
        guard !contexts.isEmpty else { return }
        // Losing rows is allowed (Events 1), but not unseen.
        do {
            let keeper = try database.keeper()
            _ = try await keeper.transaction(
                [Statement(PackageResources.commit_later_sql), .record(contexts)],
                deadline: MonotonicInstant.now().advanced(by: Self.writeMax)
            )
        } catch { lose(contexts.count, "\(error)") }
    }

    private func lose(_ count: Int, _ reason: String) {
        lost.add(count)
        let now = MonotonicInstant.now()
        let isFirst = lastLoss.withLock { last in
            let isFirst = last.map { now.since($0) > Self.burst } ?? true
            last = now
            return isFirst
        }
        guard isFirst else { return }
        log.warning("where commands came from is not recorded", .field("error", reason))
    }
}

extension Statement where Row == Void {
    fileprivate static func record(_ contexts: [RequestContext]) -> Self {
        Statement(
            PackageResources.record_contexts_sql,
            [
                .uuids(contexts.lazy.map(\.command.stream.halves)),
                .int2s(contexts.lazy.map(\.project.value)),
                .optionalUUIDs(contexts.lazy.map { $0.subject?.stream.halves }),
                .timestamps(contexts.lazy.map(\.at.microseconds)),
                .texts(contexts.lazy.map(\.network)),
                .texts(contexts.lazy.map(\.shortUserAgent)),
            ]
        )
    }
}

extension RequestContext {
    /// What the column takes; a NUL is not text for PostgreSQL.
    fileprivate var shortUserAgent: String {
        let bytes = userAgent.utf8.prefix(512).filter { $0 >= 0x20 && $0 < 0x7F }
        return String(decoding: bytes, as: UTF8.self)
    }
}
