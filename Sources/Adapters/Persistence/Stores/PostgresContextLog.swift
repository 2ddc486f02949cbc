internal import Domain
package import Issuing
internal import Postgres
internal import Runtime

/// Where commands came from, in `es.contexts`; what does not fit is dropped, nobody waits.
///
/// Rows of 100 ms go in together: a row alone would cost as much as the command it belongs to.
package final class PostgresContextLog: ContextLog {
    /// Rows one loop holds back.
    package static let waitingMax = 1024
    private static let interval = Duration.milliseconds(100)
    private static let writeMax = Duration.seconds(3)

    private let database: Database
    /// By loop.
    private let waiting = Guarded<[ObjectIdentifier: [RequestContext]]>([:])

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func record(_ context: RequestContext) {
        guard let loop = Loop.current else { return }
        let isFirst = waiting.withLock { waiting in
            let count = waiting[ObjectIdentifier(loop)]?.count ?? 0
            guard count < Self.waitingMax else { return false }
            waiting[ObjectIdentifier(loop), default: []].append(context)
            return count == 0
        }
        guard isFirst else { return }
        loop.schedule(at: loop.now.advanced(by: Self.interval)) { [self] in
            loop.spawn { [self] in await write(on: loop) }
        }
    }

    private func write(on loop: Loop) async {
        let contexts = waiting.withLock { $0.removeValue(forKey: ObjectIdentifier(loop)) ?? [] }
        guard !contexts.isEmpty, let keeper = try? database.keeper() else { return }
        // Losing rows is allowed (events.md section 1).
        _ = try? await keeper.transaction(
            [Statement(PackageResources.commit_later_sql), .record(contexts)],
            deadline: MonotonicInstant.now().advanced(by: Self.writeMax)
        )
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
