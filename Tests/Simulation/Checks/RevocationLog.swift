import Domain
import EventFormat
import Publishing

/// Which tokens were born and what has ended, as the log says it (Events 8.3 and 8.7).
struct RevocationLog {
    struct Birth {
        var session: SessionID
        var client: ClientID
        var token: TokenID
        var version: Int32
    }

    /// What an end is the end of.
    enum Ended: Hashable {
        case session
        /// `isReplaced`: it comes again in the same command.
        case client(ClientID, isReplaced: Bool)
        case token(TokenID, ClientID)
    }

    struct End {
        var session: SessionID
        var ended: Ended
        var reason: String
        var version: Int32
        var place: LogPosition
        var at: Instant
        var subject: SubjectID?

        /// The key of its record (Events 10.3).
        var key: String {
            switch ended {
            case .session: "\(session)"
            case .client(let client, _): "\(session)/c:\(client.text)"
            case .token(let token, _): "\(session)/t:\(token)"
            }
        }

        /// Whether it is the end of a token of its session.
        func kills(_ birth: Birth) -> Bool {
            switch ended {
            case .session: true
            case .client(let client, _): client == birth.client && birth.version < version
            case .token(let token, _): token == birth.token
            }
        }

        /// Tokens tell the second of their birth: of those of this client that were born in the
        /// second of its leave, the record cannot tell which are of the stay that is over
        /// (decision 0040).
        func isVague(about birth: Birth) -> Bool {
            guard case .client(birth.client, _) = ended else { return false }
            return birth.token.bornAt.seconds == at.seconds
        }
    }

    private struct Family: Hashable {
        var stream: StreamID
        var number: UInt16
    }

    private(set) var births: [SessionID: [Birth]] = [:]
    private(set) var ends: [End] = []
    private var clients: [Family: ClientID] = [:]
    private var seen = 0

    /// Takes what has been committed since.
    mutating func follow(_ database: SimulatedDatabase) {
        while seen < database.rows.count {
            let row = database.rows[seen]
            seen += 1
            let body = try? EventFormat.decode(
                type: row.event.type,
                payload: row.event.payload,
                columns: row.event.columns
            )
            switch body {
            case .offlineGrant(let event): take(event, row)
            case .browserSession(.ended(let reason)): end(.session, reason.rawValue, row)
            default: break
            }
        }
    }

    private mutating func take(_ event: OfflineGrant.Event, _ row: SimulatedDatabase.Row) {
        let stream = row.event.stream
        switch event {
        case .refreshTokenIssued(let issue, _):
            clients[Family(stream: stream, number: issue.family)] = issue.client
        case .accessTokenIssued(let issue): bear(issue.token, of: issue.client, row)
        case .refreshed(let refreshed): bear(refreshed.token, of: refreshed.client, row)
        case .retried(let family, _, let token, _):
            bear(token, of: clients[Family(stream: stream, number: family)], row)
        case .revoked(let reason): end(.session, reason.rawValue, row)
        case .clientLeft(let client, let reason):
            let isReplaced = reason == .replaced
            end(.client(client, isReplaced: isReplaced), reason.rawValue, row)
        case .accessTokenRevoked(let token, let client, _):
            end(.token(token, client), "token_revocation", row)
        case .opened, .reuseDetected, .reauthenticated, .deviceKeyBound, .app2appApproved,
            .deviceSecretIssued, .deviceSecretUsed, .deviceSecretRevoked, .deviceLinked,
            .clientJoined, .urlIssued:
            break
        }
    }

    private mutating func bear(
        _ token: TokenID,
        of client: ClientID?,
        _ row: SimulatedDatabase.Row
    ) {
        guard let client else { return }
        let session = SessionID(row.event.stream)
        births[session, default: []].append(
            Birth(session: session, client: client, token: token, version: row.event.version)
        )
    }

    private mutating func end(_ ended: Ended, _ reason: String, _ row: SimulatedDatabase.Row) {
        ends.append(
            End(
                session: SessionID(row.event.stream),
                ended: ended,
                reason: reason,
                version: row.event.version,
                place: row.place,
                at: row.event.columns.occurredAt,
                subject: row.event.columns.subject
            )
        )
    }
}
