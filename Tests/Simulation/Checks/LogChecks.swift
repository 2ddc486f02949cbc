import Crypto
import Domain
import EventFormat
import Issuing
import Persistence

// @unchecked: touched by the one thread that runs the simulation.
/// What must hold of every commit, by WireContract and Events.
final class LogChecks: @unchecked Sendable {
    private struct Stream {
        var version: Int32 = 0
        var hash: EventHash?
        var occurredAt: Instant?
        var types: [Int16] = []
    }

    /// A session as its events say it.
    private struct Session {
        var opening: OfflineGrant.Opening
        /// By family; the first one when absent.
        var generations: [UInt16: UInt32] = [:]
        var isRevoked = false
    }

    /// What happens once in a stream, by Events 8.
    private static let once: Set<Int16> = [
        101, 106, 301, 306, 307, 308, 309, 401, 402, 404, 405, 406, 501, 506, 601, 602, 603, 701,
        707, 711, 801, 804, 805, 901, 902, 1101,
    ]
    /// What nothing follows in its stream.
    private static let final: Set<Int16> = [106, 405, 406, 506, 603, 804, 902, 1101]

    private let database: SimulatedDatabase
    private var seen = 0
    private var streams: [StreamID: Stream] = [:]
    private var sessions: [StreamID: Session] = [:]
    /// Access tokens that were issued, as far as the log says.
    private(set) var tokens: Set<TokenID> = []
    /// Access tokens' ends.
    private(set) var ends: [SessionID: Instant] = [:]
    private(set) var eventCount = 0
    private(set) var endings = EndingChecks()
    var issuance = IssuanceChecks()
    private var scopes = ScopeChecks()
    private var links = LinkChecks()

    init(_ database: SimulatedDatabase) { self.database = database }

    /// Whether the log says that the session has ended.
    func isRevoked(_ session: SessionID) -> Bool { sessions[session.stream]?.isRevoked ?? false }

    func look(_ broken: (String, String) -> Void) {
        if database.sentLate > 0 { broken("I10", "a decision was sent long after it was made") }
        if database.sentUnseen > 0 {
            broken("I12", "a decision rests on what the log does not have")
        }
        while seen < database.commits.count {
            let commit = database.commits[seen]
            seen += 1
            check(commit.command, broken)
        }
    }

    private func check(_ command: EncodedCommand, _ broken: (String, String) -> Void) {
        var bodies: [(stream: StreamID, body: DomainEvent)] = []
        // Commits stand in their order: what a guard names is as it was when this one was made.
        for held in command.guards where held.version != streams[held.stream]?.version ?? 0 {
            broken("I9", "a command is committed though a stream that it holds has moved")
        }
        for row in command.rows {
            eventCount += 1
            chain(row, broken)
            let body: DomainEvent
            do {
                body = try EventFormat.decode(
                    type: row.event.type,
                    payload: row.event.payload,
                    columns: row.event.columns
                )
            } catch {
                broken("I10", "an event cannot be read: \(error)")
                continue
            }
            bodies.append((row.event.stream, body))
        }
        for (stream, body) in bodies {
            follow(body, on: stream, broken)
            endings.follow(body, on: stream, broken)
            issuance.follow(body, on: stream)
        }
        scopes.follow(bodies, broken)
        links.follow(bodies, broken)
        if bodies.count == command.rows.count { issuance.check(command, bodies, broken) }
    }

    // MARK: - Streams

    private func chain(_ row: EncodedCommand.Row, _ broken: (String, String) -> Void) {
        let event = row.event
        var stream = streams[event.stream] ?? Stream()
        if event.version != stream.version + 1 {
            broken("I1", "version \(event.version) of a stream was written over \(stream.version)")
        }
        if let last = stream.occurredAt, event.columns.occurredAt < last {
            broken("I9", "an event happened before the one it follows (Events 1)")
        }
        let bytes = HashChain.preimage(of: event, after: stream.hash)
        if TokenDigest(bytes: SHA256.hash(bytes)) != row.hash.digest {
            broken("I17", "a hash does not continue its stream's chain")
        }
        stream.version = event.version
        stream.hash = row.hash
        stream.occurredAt = event.columns.occurredAt
        if Self.once.contains(event.type), stream.types.contains(event.type) {
            broken(event.type == 707 ? "I3" : "I1", "event \(event.type) stands twice in a stream")
        }
        if let last = stream.types.last, Self.final.contains(last) {
            broken("I4", "event \(event.type) follows \(last), which is final")
        }
        stream.types.append(event.type)
        streams[event.stream] = stream
    }

    private func follow(
        _ body: DomainEvent,
        on stream: StreamID,
        _ broken: (String, String) -> Void
    ) {
        guard case .offlineGrant(let event) = body else { return }
        if case .opened(let opening) = event {
            sessions[stream] = Session(opening: opening)
            ends[SessionID(stream)] = opening.expiresAt
            return
        }
        guard var session = sessions[stream] else {
            return broken("I6", "a session's event without a session")
        }
        if session.isRevoked { broken("I4", "a session went on after its end") }
        switch event {
        case .accessTokenIssued(let issue):
            tokens.insert(issue.token)
            bound(issue.scope, issue.expiresAt, by: session.opening, broken)
        case .refreshTokenIssued(let issue, _):
            bound(issue.scope, issue.expiresAt, by: session.opening, broken)
        case .refreshed(let refreshed):
            tokens.insert(refreshed.token)
            bound(refreshed.scope, refreshed.expiresAt, by: session.opening, broken)
            if refreshed.secret != nil {
                let last = session.generations[refreshed.family, default: 1]
                if refreshed.generation != last + 1 {
                    broken("I5", "a family skipped a generation")
                }
                session.generations[refreshed.family] = refreshed.generation
            }
        case .retried(_, _, let token, _): tokens.insert(token)
        case .revoked: session.isRevoked = true
        case .clientJoined(let joined):
            bound(joined.scope, session.opening.expiresAt, by: session.opening, broken)
        case .opened, .reuseDetected, .deviceKeyBound, .app2appApproved, .accessTokenRevoked,
            .reauthenticated, .deviceSecretIssued, .deviceSecretUsed, .deviceSecretRevoked,
            .deviceLinked,
            .clientLeft, .urlIssued:
            break
        }
        sessions[stream] = session
    }

    private func bound(
        _ scope: Scope,
        _ end: Instant,
        by opening: OfflineGrant.Opening,
        _ broken: (String, String) -> Void
    ) {
        if !scope.isSubset(of: opening.scope) { broken("I7", "scope grew to \(scope.text)") }
        if end > opening.expiresAt { broken("I8", "a token outlives its session") }
    }
}
