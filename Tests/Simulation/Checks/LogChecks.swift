import Crypto
import Domain
import EventFormat
import Issuing
import Persistence

// @unchecked: touched by the one thread that runs the simulation.
/// What must hold of every commit, by wire.md and events.md.
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

    init(_ database: SimulatedDatabase) { self.database = database }

    /// Whether the log says that the session has ended.
    func isRevoked(_ session: SessionID) -> Bool { sessions[session.stream]?.isRevoked ?? false }

    func look(_ broken: (String, String) -> Void) {
        if database.sentLate > 0 { broken("I10", "a decision was sent long after it was made") }
        while seen < database.commits.count {
            let commit = database.commits[seen]
            seen += 1
            check(commit.command, broken)
        }
    }

    private func check(_ command: EncodedCommand, _ broken: (String, String) -> Void) {
        var bodies: [(stream: StreamID, body: DomainEvent)] = []
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
        }
        guards(of: command, bodies, broken)
    }

    // MARK: - Streams

    private func chain(_ row: EncodedCommand.Row, _ broken: (String, String) -> Void) {
        let event = row.event
        var stream = streams[event.stream] ?? Stream()
        if event.version != stream.version + 1 {
            broken("I1", "version \(event.version) of a stream was written over \(stream.version)")
        }
        if let last = stream.occurredAt, event.columns.occurredAt < last {
            broken("I9", "an event happened before the one it follows (events.md 1)")
        }
        let bytes = HashChain.preimage(of: event, after: stream.hash)
        if TokenDigest(bytes: SHA256.hash(bytes)) != row.hash.digest {
            broken("I17", "a hash does not continue its stream's chain")
        }
        stream.version = event.version
        stream.hash = row.hash
        stream.occurredAt = event.columns.occurredAt
        // What happens once happens once.
        let once: [Int16] = [
            106, 309, 404, 405, 506, 602, 603, 707, 711, 801, 804, 805, 902, 1101,
        ]
        if once.contains(event.type), stream.types.contains(event.type) {
            broken(event.type == 707 ? "I3" : "I1", "event \(event.type) stands twice in a stream")
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

    // MARK: - I9

    /// Subject, browser-session and configuration are held by every command that issues.
    private func guards(
        of command: EncodedCommand,
        _ bodies: [(stream: StreamID, body: DomainEvent)],
        _ broken: (String, String) -> Void
    ) {
        let held = Set(command.guards.map(\.stream) + command.streams)
        for (stream, body) in bodies {
            let opening: OfflineGrant.Opening?
            switch body {
            case .offlineGrant(.opened), .offlineGrant(.accessTokenIssued),
                .offlineGrant(.refreshed), .offlineGrant(.retried):
                opening = sessions[stream]?.opening
            default: opening = nil
            }
            guard let opening else { continue }
            if case .offlineGrant(.opened) = body, opening.via == .app2app,
                opening.parent.kind == .session, !held.contains(opening.parent.stream)
            {
                broken("I9", "an issuance does not hold the session it came from")
            }
            if !held.contains(opening.subject.stream) {
                broken("I9", "an issuance does not hold its subject")
            }
            if let browser = opening.browserSession, !held.contains(browser.stream) {
                broken("I9", "an issuance does not hold its browser-session")
            }
            if !held.contains(configuration) {
                broken("I9", "an issuance does not hold the project's configuration")
            }
        }
    }

    /// The stream of the project's configuration.
    var configuration = StreamID(high: 0, low: 0)
}
