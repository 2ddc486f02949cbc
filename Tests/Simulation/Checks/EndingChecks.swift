import Domain

/// What ends what (WireContract 9.7), by the log alone: invariant I4 of who hears of it there.
struct EndingChecks {
    private struct Session {
        var opening: OfflineGrant.Opening
        var isOpen = true
    }

    private var sessions: [StreamID: Session] = [:]
    private var endedBrowsers: Set<StreamID> = []
    private var endedSubjects: Set<StreamID> = []

    mutating func follow(
        _ body: DomainEvent,
        on stream: StreamID,
        _ broken: (String, String) -> Void
    ) {
        switch body {
        case .offlineGrant(.opened(let opening)): sessions[stream] = Session(opening: opening)
        case .offlineGrant(.revoked): sessions[stream]?.isOpen = false
        case .browserSession(.ended): endedBrowsers.insert(stream)
        case .subject(.disabled), .subject(.erased): endedSubjects.insert(stream)
        case .subject(.enabled):
            endedSubjects.remove(stream)
            let isOpen = sessions.values.contains {
                $0.isOpen && $0.opening.subject.stream == stream
            }
            if isOpen { broken("I4", "a session was open when its user was enabled") }
        default: break
        }
    }

    /// Once everything has been followed: a session that is open though what it rests on has ended.
    ///
    /// `cascading`: the clients whose sessions take with them those they let in.
    func leftOpen(cascading: Set<ClientID>) -> String? {
        for session in sessions.values where session.isOpen {
            let opening = session.opening
            if endedSubjects.contains(opening.subject.stream) {
                return "a session is open that its user's end has ended"
            }
            if let browser = opening.browserSession, endedBrowsers.contains(browser.stream) {
                return "a session is open that its browser's end has ended"
            }
            guard opening.via == .app2app, opening.parent.kind == .session,
                let owner = sessions[opening.parent.stream]
            else { continue }
            if !owner.isOpen, cascading.contains(owner.opening.client) {
                return "a session is open that its owner's end has ended"
            }
        }
        return nil
    }
}
