package import Domain

/// The sessions of a user, read from the log and so exact (wire.md sections 9.5 and 13.3).
package struct SessionList: Sendable {
    /// Where sessions live.
    static let kinds: Set<AggregateKind> = [.offlineGrant, .browserSession]

    private let store: any EventStore
    private let clock: any WallClock

    package init(store: any EventStore, clock: any WallClock) {
        self.store = store
        self.clock = clock
    }

    /// One session as lists show it.
    package struct Entry: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable {
            case offlineGrant = "offline_grant"
            case browser
        }

        package enum Status: String, Hashable, Sendable { case live, ended, expired }

        package var session: SessionID
        package var kind: Kind
        package var status: Status
        package var subject: SubjectID
        package var clients: [ClientID]
        package var createdAt: Instant
        package var lastUsedAt: Instant
        package var expiresAt: Instant
        package var authentication: Authentication
        package var parent: Parent
        /// How it was opened; nil of a browser's.
        package var opening: OfflineGrant.Opening?
        /// What its app said of its phone.
        package var device: Sealed?
    }

    /// At most `limit`, newest first.
    package func entries(of subject: SubjectID, limit: Int, by deadline: Deadline)
        async throws(StoreError) -> [Entry]
    {
        let streams = try await store.opened(
            for: subject,
            kinds: Self.kinds,
            before: nil,
            limit: limit,
            by: deadline
        )
        var entries: [Entry] = []
        for opened in streams {
            if let entry = try await entry(opened, by: deadline) { entries.append(entry) }
        }
        return entries
    }

    /// The session `id`, whichever kind it is of; nil when there is none, or, seen from a project,
    /// when it is another's.
    package func entry(
        _ id: SessionID,
        seenFrom project: ProjectNumber?,
        by deadline: Deadline
    ) async throws(StoreError) -> Entry? {
        let grant = try await store.loadCurrent(OfflineGrant.self, id.stream, by: deadline)
        let found = project.map(grant.seen) ?? grant
        if let entry = describe(id, found.state) { return entry }
        let browser = try await store.loadCurrent(BrowserSession.self, id.stream, by: deadline)
        return describe(id, (project.map(browser.seen) ?? browser).state)
    }

    /// A session that was opened for its user.
    func entry(_ opened: OpenedStream, by deadline: Deadline) async throws(StoreError) -> Entry? {
        let id = SessionID(opened.stream)
        if opened.kind == .offlineGrant {
            let grant = try await store.loadCurrent(OfflineGrant.self, id.stream, by: deadline)
            return describe(id, grant.state)
        }
        let browser = try await store.loadCurrent(BrowserSession.self, id.stream, by: deadline)
        return describe(id, browser.state)
    }

    private func describe(_ id: SessionID, _ state: OfflineGrant.State) -> Entry? {
        guard let session = state.session else { return nil }
        var isOpen = false
        if case .open = state { isOpen = true }
        return Entry(
            session: id,
            kind: .offlineGrant,
            status: !isOpen ? .ended : session.isLive(at: clock.now) ? .live : .expired,
            subject: session.opening.subject,
            clients: session.clients.map(\.client),
            createdAt: session.opening.openedAt,
            lastUsedAt: session.lastUsedAt,
            expiresAt: session.opening.expiresAt,
            authentication: session.authentication,
            parent: session.opening.parent,
            opening: session.opening,
            device: session.opening.device
        )
    }

    private func describe(_ id: SessionID, _ state: BrowserSession.State) -> Entry? {
        let session: BrowserSession.Session
        var isOpen = false
        switch state {
        case .absent: return nil
        case .open(let open):
            session = open
            isOpen = true
        case .ended(let ended, _): session = ended
        }
        return Entry(
            session: id,
            kind: .browser,
            status: !isOpen ? .ended : session.isLive(at: clock.now) ? .live : .expired,
            subject: session.subject,
            // One entry per login, so one app may stand there often.
            clients: session.joined.reduce(into: []) { clients, joined in
                if !clients.contains(joined.client) { clients.append(joined.client) }
            },
            createdAt: session.openedAt,
            lastUsedAt: session.lastSeenAt,
            expiresAt: session.expiresAt,
            authentication: session.authentication,
            parent: session.parent
        )
    }
}
