internal import Domain

/// What sessions rest on (`Work.requireAlive`), as the log has it: each looked up once, for lists.
struct Foundations {
    private let store: any EventStore
    private let settings: ProjectSettings
    private let deadline: Deadline
    private var browsers: [SessionID: Bool] = [:]
    private var owners: [SessionID: OfflineGrant.State] = [:]

    init(in project: Project, _ store: any EventStore, by deadline: Deadline) {
        self.store = store
        settings = project.settings
        self.deadline = deadline
    }

    /// A session that another one rests on, and whether it is open.
    private struct Stone {
        var session: SessionID
        var isOpen: Bool
    }

    /// Whether all is open that a session rests on which was opened so.
    mutating func areOpen(under opening: OfflineGrant.Opening) async throws(StoreError) -> Bool {
        try await stones(under: opening).allSatisfy(\.isOpen)
    }

    /// The sessions whose end would be the end of this one, itself among them.
    mutating func sessions(under id: SessionID) async throws(StoreError) -> Set<SessionID> {
        guard let session = try await owner(id).session else { return [id] }
        let stones = try await stones(under: session.opening)
        return Set(stones.map(\.session) + [id])
    }

    private mutating func stones(under opening: OfflineGrant.Opening)
        async throws(StoreError) -> [Stone]
    {
        var stones: [Stone] = []
        var opening = opening
        for _ in 0..<OfflineGrant.ownersMax {
            if let browser = opening.browserSession {
                stones.append(Stone(session: browser, isOpen: try await isOpen(browser)))
            }
            guard let id = opening.owner else { break }
            let owner = try await owner(id)
            guard settings.cascades(from: owner), let session = owner.session else { break }
            var isOpen = false
            if case .open = owner { isOpen = true }
            stones.append(Stone(session: id, isOpen: isOpen))
            opening = session.opening
        }
        return stones
    }

    private mutating func isOpen(_ id: SessionID) async throws(StoreError) -> Bool {
        if let known = browsers[id] { return known }
        let browser = try await store.loadCurrent(BrowserSession.self, id.stream, by: deadline)
        var isOpen = false
        if case .open = browser.state { isOpen = true }
        browsers[id] = isOpen
        return isOpen
    }

    private mutating func owner(_ id: SessionID) async throws(StoreError) -> OfflineGrant.State {
        if let known = owners[id] { return known }
        let grant = try await store.loadCurrent(OfflineGrant.self, id.stream, by: deadline)
        owners[id] = grant.state
        return grant.state
    }
}
