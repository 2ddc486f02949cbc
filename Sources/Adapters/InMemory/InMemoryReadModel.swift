package import Domain
package import Projections
package import Publishing
internal import Runtime

/// The read models of revocations in memory, over a log in memory: one of several projectors has
/// the lead.
package final class InMemoryReadModel: Sendable {
    /// A row of the list of sessions.
    package struct SessionRow: Hashable, Sendable {
        package var opening: RecordedSessions.Session
        package var version: Int32
        package var seenAt: Instant
        package var endedAt: Instant?
        package var reason: String?
    }

    struct Contents {
        var rows: [String: ProjectionBatch.Row] = [:]
        var sessions: [SessionID: SessionRow] = [:]
        var outbox: [String] = []
        var progress: ProjectionProgress
        /// Of the offsets.
        var cluster: String?
        var offsets: [Int32: Int64] = [:]
        var revocationsCluster: String?
        var acknowledged: [Int32: Int64] = [:]
        var generation: Int32 = 1
        var holder: Int?
        /// When the holder asked for something last.
        var heardAt = Instant(microseconds: 0)
        /// Sessions that were ended and do not know it.
        var ended: Set<Int> = []
        var sessionsMade = 0
        /// Subjects whose revocations have all expired, and who are erased.
        var erased: Set<SubjectID> = []
        var failsUpkeep = false
        var readable: @Sendable (RecordedEvent) -> Bool = { _ in true }
    }

    let log: InMemoryEventLog
    let contents: Guarded<Contents>

    /// Makes an empty model of a log.
    package init(of log: InMemoryEventLog) {
        self.log = log
        contents = Guarded(
            Contents(
                progress: ProjectionProgress(log: log.id, offsets: [:], applied: [:], frontier: -1)
            )
        )
    }

    /// A connection of one projector.
    package func session() -> InMemoryProjectionSession {
        let number = contents.withLock {
            $0.sessionsMade += 1
            return $0.sessionsMade
        }
        return InMemoryProjectionSession(number, of: self)
    }

    /// Revocations by key.
    package var revocations: [String: ProjectionBatch.Row] { contents.withLock { $0.rows } }

    /// The list of sessions.
    package var sessions: [SessionID: SessionRow] { contents.withLock { $0.sessions } }

    /// Lets the subject be erased, and all that was revoked of it expire.
    package func erase(_ subject: SubjectID) {
        contents.withLock { _ = $0.erased.insert(subject) }
    }

    /// Where the model stands.
    package var progress: ProjectionProgress { contents.withLock { $0.progress } }

    /// Keys of revocations that are not published yet.
    package var outbox: [String] { contents.withLock { $0.outbox } }

    /// Which events of PostgreSQL the program can read; all of them at first.
    package func setReadable(_ readable: @escaping @Sendable (RecordedEvent) -> Bool) {
        contents.withLock { $0.readable = readable }
    }

    /// Lets the dropping of what has expired fail, and nothing else.
    package func setFailsUpkeep(_ fails: Bool) { contents.withLock { $0.failsUpkeep = fails } }

    /// As a rebuild that has put another model in place.
    package func replace() { contents.withLock { $0.generation += 1 } }
}
