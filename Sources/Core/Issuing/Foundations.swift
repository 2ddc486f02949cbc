internal import Domain

/// What sessions rest on (`Work.requireAlive`), as the log has it: each looked up once, for lists.
///
/// What cannot be read is shown as if it stood: no request is let in by this, and whatever does not
/// depend on it goes on (decision 0219).
struct Foundations {
    private let store: any EventStore
    private let names: StreamNames
    let project: Project
    private let deadline: Deadline
    private var browsers: [SessionID: Bool] = [:]
    private var owners: [SessionID: OfflineGrant.State?] = [:]
    private var subjects: [SubjectID: Bool] = [:]
    private var withdrawn: [StreamID: Bool] = [:]

    /// `subject`: taken for active, whatever the log says.
    init(
        in project: Project,
        _ commands: CommandRunner,
        by deadline: Deadline,
        taking subject: SubjectID? = nil
    ) {
        store = commands.store
        names = commands.names
        self.project = project
        self.deadline = deadline
        if let subject { subjects[subject] = true }
    }

    /// A session that another one rests on, and whether it is open.
    private struct Stone {
        var session: SessionID
        var isOpen: Bool
    }

    /// The status of a session by all it rests on; that of `entry` is by the session alone.
    ///
    /// A browser's session is judged once: if it is open when first asked about, it stays open for
    /// the sessions that joined it.
    mutating func status(of entry: SessionList.Entry)
        async throws(StoreError) -> SessionList.Entry.Status
    {
        if entry.kind == .browser, browsers[entry.session] == nil {
            browsers[entry.session] = entry.status != .ended
        }
        guard entry.status == .live else { return entry.status }
        guard try await isActive(entry.subject) else { return .ended }
        guard let grant = entry.grant else { return .live }
        guard try await hasClient(grant) else { return .ended }
        let areOpen = try await stones(under: grant.opening).allSatisfy(\.isOpen)
        return areOpen ? .live : .ended
    }

    /// Whether a client of the session has left neither the configuration nor its user's consent;
    /// one that is disabled waits.
    private mutating func hasClient(_ session: OfflineGrant.Session) async throws(StoreError)
        -> Bool
    {
        for known in session.clients {
            guard project.client(known.client) != nil || project.mayLack(known.client),
                project.honours(known.client, in: session)
            else { continue }
            if try await isAllowed(known.client, in: session) { return true }
        }
        return false
    }

    /// The sessions whose end would be the end of this one, itself among them.
    mutating func sessions(under id: SessionID) async throws(StoreError) -> Set<SessionID> {
        guard let session = try await owner(id)?.session else { return [id] }
        let stones = try await stones(under: session.opening)
        return Set(stones.map(\.session) + [id])
    }

    /// A row that is too long ends with one that is not open.
    private mutating func stones(under opening: OfflineGrant.Opening)
        async throws(StoreError) -> [Stone]
    {
        var stones: [Stone] = []
        var opening = opening
        var mayBeSpared = false
        for count in 0...OfflineGrant.ownersMax {
            if let browser = opening.browserSession {
                stones.append(Stone(session: browser, isOpen: try await isOpen(browser)))
            }
            guard let id = opening.owner else { break }
            guard let owner = try await owner(id) else {
                stones.append(Stone(session: id, isOpen: true))
                break
            }
            // If nobody can tell, it is shown as open: no request is let in by this.
            guard project.cascades(from: owner) ?? false, let session = owner.session else { break }
            if project.mayHaveStopped(cascading: session.opening) { mayBeSpared = true }
            var isOpen = count < OfflineGrant.ownersMax
            if isOpen, !mayBeSpared { isOpen = try await holds(owner, session) }
            stones.append(Stone(session: id, isOpen: isOpen))
            opening = session.opening
        }
        return stones
    }

    /// Whether a session that let others in is one that they can rest on.
    private mutating func holds(_ owner: OfflineGrant.State, _ session: OfflineGrant.Session)
        async throws(StoreError) -> Bool
    {
        guard case .open = owner, project.honours(session.opening.client, in: session) else {
            return false
        }
        return try await isAllowed(session.opening.client, in: session)
    }

    /// Whether no withdrawal of its consent has left `client` in the session (decision 0175).
    private mutating func isAllowed(_ client: ClientID, in session: OfflineGrant.Session)
        async throws(StoreError) -> Bool
    {
        guard project.requiresConsent(client), session.known(client) != nil else { return true }
        let name = names.consent(session.opening.subject, client, in: project.number)
        if let known = withdrawn[name] { return !known }
        let isWithdrawn = try await isWithdrawn(name)
        withdrawn[name] = isWithdrawn
        return !isWithdrawn
    }

    private func isWithdrawn(_ name: StreamID) async throws(StoreError) -> Bool {
        if case .withdrawn? = try await state(Consent.self, name) { true } else { false }
    }

    private mutating func isOpen(_ id: SessionID) async throws(StoreError) -> Bool {
        if let known = browsers[id] { return known }
        let isOpen = try await state(BrowserSession.self, id.stream)?.isOpen ?? true
        browsers[id] = isOpen
        return isOpen
    }

    private mutating func isActive(_ id: SubjectID) async throws(StoreError) -> Bool {
        if let known = subjects[id] { return known }
        let isActive = try await state(Subject.self, id.stream)?.isActive ?? true
        subjects[id] = isActive
        return isActive
    }

    private mutating func owner(_ id: SessionID) async throws(StoreError) -> OfflineGrant.State? {
        if let known = owners[id] { return known }
        let owner = try await state(OfflineGrant.self, id.stream)
        owners.updateValue(owner, forKey: id)
        return owner
    }

    /// Nil: this program cannot read it.
    private func state<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID)
        async throws(StoreError) -> A.State?
    {
        do throws(StoreError) {
            return try await store.loadCurrent(aggregate, stream, by: deadline).state
        } catch {
            guard case .corrupt = error else { throw error }
            return nil
        }
    }
}
