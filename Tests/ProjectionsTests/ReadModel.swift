import Domain
import Projections
import TestSupport

/// The tables of both projections, and a log to fold into them.
struct ReadModel: Equatable {
    struct Row: Hashable {
        var session: RecordedSessions.Session
        var version: Int32
        var seenAt: Instant
        var endedAt: Instant?
        var reason: String?
    }

    private(set) var revocations: [String: Revocations.Revocation] = [:]
    private(set) var sessions: [SessionID: Row] = [:]

    /// As the tables do: upserts by key.
    mutating func apply(_ event: RecordedEvent) {
        for case .put(let revocation) in Revocations.changes(for: event) { put(revocation) }
        for change in RecordedSessions.changes(for: event) {
            switch change {
            case .open(let session):
                sessions[session.session] = Row(
                    session: session,
                    version: session.version,
                    seenAt: session.openedAt
                )
            case .see(let id, let version, let at):
                sessions[id]?.version = version
                sessions[id]?.seenAt = at
            case .end(let id, let version, let at, let reason):
                sessions[id]?.version = version
                sessions[id]?.endedAt = at
                sessions[id]?.reason = reason
            case .advance(let id, let version):
                sessions[id]?.version = version
            }
        }
    }

    /// As add_revocations.sql does: a client may leave again; all else ends once.
    private mutating func put(_ revocation: Revocations.Revocation) {
        let key = revocation.key.description
        guard let known = revocations[key] else {
            revocations[key] = revocation
            return
        }
        guard known.issuedBefore != nil, known.logIndex ?? 0 < revocation.logIndex ?? 0 else {
            return
        }
        revocations[key] = revocation.replacing(known)
    }

    static func folding(_ log: [RecordedEvent]) -> Self {
        log.reduce(into: Self()) { $0.apply($1) }
    }

    /// Events of one stream, a second apart, in the log from `index` on.
    static func record(
        _ events: [DomainEvent],
        stream: UInt64,
        from index: Int64 = 0
    ) -> [RecordedEvent] {
        events.enumerated().map { offset, event in
            RecordedEvent(
                logIndex: index + Int64(offset),
                project: Sample.number(3),
                stream: Sample.stream(stream),
                version: Int32(offset) + 1,
                occurredAt: Sample.time(Double(offset)),
                subject: Sample.subject(1),
                session: Sample.session(stream),
                body: event
            )
        }
    }
}
