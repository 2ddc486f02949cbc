internal import Domain
internal import OAuth

extension BrowserSession.Event {
    var storedType: StoredType {
        switch self {
        case .opened: .browserSessionOpened
        case .cookieRotated: .browserSessionCookieRotated
        case .reauthenticated: .browserSessionReauthenticated
        case .seen: .browserSessionSeen
        case .clientJoined: .browserSessionClientJoined
        case .ended: .browserSessionEnded
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .opened(let session):
            payload.member("amr", session.authentication.methods)
            payload.member("approval", session.authentication.approval?.rawValue)
            payload.member("auth_time_at", session.authentication.at)
            payload.member("cookie", session.cookie)
            payload.member("expires_at", session.expiresAt)
            payload.member("idle_ms", session.idleMilliseconds)
            payload.member("parent", session.parent)
        case .cookieRotated(let cookie, let reason):
            payload.member("cookie", cookie)
            payload.member("reason", reason.rawValue)
        case .reauthenticated(let authentication, let cookie, _):
            payload.member("amr", authentication.methods)
            payload.member("approval", authentication.approval?.rawValue)
            payload.member("auth_time_at", authentication.at)
            payload.member("cookie", cookie)
        case .seen: break
        case .clientJoined(let joined):
            payload.member("client", joined.client)
            payload.member("grant", joined.grant.stream)
        case .ended(let reason):
            payload.member("reason", reason.rawValue)
        }
    }

    static func opened(from payload: PayloadReader) throws(FormatError) -> Self {
        .opened(
            BrowserSession.Session(
                subject: try payload.subject(),
                authentication: try payload.authentication(),
                cookie: try payload.digest("cookie"),
                parent: try payload.parent(),
                openedAt: payload.occurredAt,
                expiresAt: try payload.time("expires_at"),
                idleMilliseconds: try payload.integer("idle_ms")
            )
        )
    }

    static func cookieRotated(from payload: PayloadReader) throws(FormatError) -> Self {
        .cookieRotated(try payload.digest("cookie"), try payload.choice("reason"))
    }

    static func reauthenticated(from payload: PayloadReader) throws(FormatError) -> Self {
        .reauthenticated(
            try payload.authentication(),
            cookie: try payload.digest("cookie"),
            at: payload.occurredAt
        )
    }

    static func seen(from payload: PayloadReader) throws(FormatError) -> Self {
        .seen(at: payload.occurredAt)
    }

    static func clientJoined(from payload: PayloadReader) throws(FormatError) -> Self {
        .clientJoined(
            BrowserSession.Joined(
                client: try payload.client(),
                grant: SessionID(try payload.stream("grant"))
            )
        )
    }

    static func ended(from payload: PayloadReader) throws(FormatError) -> Self {
        .ended(try payload.choice("reason"))
    }
}
