internal import Domain
internal import OAuth

extension BrowserSession.State: StoredState {
    // 2: how its login was approved.
    static var format: Int32 { 2 }

    var isInitial: Bool { self == .absent }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .absent: break
        case .open(let shared): shared.value.write(to: &payload, ended: nil)
        case .ended(let shared, let reason): shared.value.write(to: &payload, ended: reason)
        }
    }

    init(from payload: PayloadReader) throws(FormatError) {
        let session = Shared(try BrowserSession.Session(state: payload))
        let reason = try payload.optional("ended") {
            $0.string.flatMap(BrowserSession.EndReason.init(rawValue:))
        }
        self = reason.map { .ended(session, $0) } ?? .open(session)
    }
}

extension BrowserSession.Session {
    fileprivate func write(to payload: inout JSONWriter, ended: BrowserSession.EndReason?) {
        payload.member("amr", authentication.methods)
        payload.member("approval", authentication.approval?.rawValue)
        payload.member("auth_time_at", authentication.at)
        payload.member("cookie", cookie)
        payload.member("ended", ended?.rawValue)
        payload.member("expires_us", microseconds: expiresAt)
        payload.member("idle_ms", idleMilliseconds)
        payload.member("joined", objects: joined) { joined, one in
            joined.member("client", one.client)
            joined.member("grant", one.grant.stream)
        }
        payload.member("opened_us", microseconds: openedAt)
        payload.member("parent", parent)
        payload.member("seen_us", microseconds: lastSeenAt)
        payload.member("subject", subject.stream)
    }

    fileprivate init(state payload: PayloadReader) throws(FormatError) {
        self.init(
            subject: try payload.subject("subject"),
            authentication: try payload.authentication(),
            cookie: try payload.digest("cookie"),
            parent: try payload.parent(),
            openedAt: try payload.microseconds("opened_us"),
            expiresAt: try payload.microseconds("expires_us"),
            idleMilliseconds: try payload.integer("idle_ms")
        )
        lastSeenAt = try payload.microseconds("seen_us")
        joined = try payload.objects("joined") { joined throws(FormatError) in
            BrowserSession.Joined(
                client: try joined.client(),
                grant: SessionID(try joined.stream("grant"))
            )
        }
    }
}
