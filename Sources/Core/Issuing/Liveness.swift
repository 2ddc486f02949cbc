package import Domain

/// Whether a session lives right now: every stream it rests on is compared with the head of the
/// log in the same request (Architecture 9).
package struct Liveness: Sendable {
    private let store: any EventStore
    private let projects: any ProjectDirectory
    private let clock: any WallClock
    private let names: StreamNames

    package init(
        store: any EventStore,
        projects: any ProjectDirectory,
        clock: any WallClock,
        names: StreamNames
    ) {
        self.store = store
        self.projects = projects
        self.clock = clock
        self.names = names
    }

    /// Of what commands decide on.
    package init(_ commands: CommandRunner) {
        self.init(
            store: commands.store,
            projects: commands.projects,
            clock: commands.clock,
            names: commands.names
        )
    }

    /// Whether an access token with good signature is still good for anything.
    ///
    /// - Throws: when the log did not answer, or only a document that cannot be read here tells.
    package func isAlive(_ claims: AccessTokenClaims, in project: Project, by deadline: Deadline)
        async throws(StoreError) -> Bool
    {
        guard let id = claims.session else {
            let current = try await currentProject(project, by: deadline)
            guard current.honours(claims.client, since: claims.token.bornAt),
                current.believes(claims.key)
            else { return false }
            guard !current.mayLack(claims.client) else { throw .unavailable }
            return current.enabledClient(claims.client) != nil
        }
        let session = try await session(
            id,
            for: claims.client,
            in: project,
            signedBy: claims.key,
            at: clock.now,
            by: deadline
        )
        return session.live?.value.accepts(claims.token, of: claims.client) ?? false
    }

    /// How a client stands in a session.
    package struct Standing: Sendable {
        /// The session, when it is open and all that the client has in it rests on is alive.
        package let live: Shared<OfflineGrant.Session>?
        /// Whether it may become live again if it is not now; otherwise apps erase theirs.
        ///
        /// A disabled client's sessions wait for it, and a compromised key ends none
        /// (WireContract 9.7).
        package let isWaiting: Bool
        /// Whether it is not live because its project is suspended, by the same state of the log.
        package let isSuspended: Bool
    }

    /// How `client` stands in the session `id`, by one state of the log.
    ///
    /// `key`: whose signature on a token the caller believes, so that it is believed still;
    /// `evenSuspended`: for what ends something or only tells what there is (decision 0201).
    ///
    /// - Throws: as `isAlive`.
    package func session(
        _ id: SessionID,
        for client: ClientID,
        in project: Project,
        signedBy key: String? = nil,
        evenSuspended: Bool = false,
        at now: Instant,
        by deadline: Deadline
    ) async throws(StoreError) -> Standing {
        for _ in 0..<Self.attemptsMax {
            let view = try await view(of: id, for: client, key, in: project, by: deadline)
            let isSuspended = view.project.isSuspended && !evenSuspended
            // One query for all: what it confirms is true at one moment.
            if try await store.areCurrent(view.restsOn, by: deadline) {
                let isAlive = isSuspended ? false : try view.isAlive(at: now)
                let live = isAlive ? view.session : nil
                let isWaiting = live == nil && (isSuspended || !view.honours(client))
                return Standing(live: live, isWaiting: isWaiting, isSuspended: isSuspended)
            }
            try await projects.reload(project.number, by: deadline)
        }
        throw .unavailable
    }

    /// Whether a token's client may do anything and its key is believed, as far as this node knows
    /// since it last looked.
    func honours(_ claims: AccessTokenClaims, in project: Project) -> Bool {
        let current = projects.project(number: project.number) ?? project
        return current.enabledClient(claims.client) != nil && current.believes(claims.key)
    }

    private static let attemptsMax = 5

    /// What was read of a session, perhaps from caches, and the versions it was read at.
    private struct View {
        var session: Shared<OfflineGrant.Session>?
        var isOpen = false
        var isSubjectActive = false
        /// Whether all else that it rests on is alive: the browser-session that it is bound to, the
        /// consent that its client needs (decision 0175), and the session that let it in, when
        /// that one's end is its own, with what that one rests on.
        private(set) var isFounded = true
        /// Whether a session that let it in may no longer take along the ones it lets in, because a
        /// document says so that cannot be read here: what is above it may be no foundation then.
        var mayBeSpared = false
        var isClientEnabled = false
        /// Whether a document that cannot be read here may name what else it rests on.
        var isDoubtful = false
        var isKeyBelieved = true
        /// What it was read by.
        let project: Project
        var restsOn: [StreamGuard] = []

        /// Something that it rests on is not alive.
        mutating func loseGround() {
            if mayBeSpared { isDoubtful = true } else { isFounded = false }
        }

        func isAlive(at now: Instant) throws(StoreError) -> Bool {
            guard isOpen, isSubjectActive, isFounded, isClientEnabled, isKeyBelieved,
                session?.value.isLive(at: now) ?? false
            else { return false }
            guard !isDoubtful else { throw .unavailable }
            return true
        }

        /// Whether the client may do anything at all, and the key is believed.
        func honours(_ client: ClientID) -> Bool {
            isKeyBelieved && project.servedClient(client) != nil
        }
    }

    private func view(
        of id: SessionID,
        for client: ClientID,
        _ key: String?,
        in project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> View {
        let grant = try await load(OfflineGrant.self, id.stream, by: deadline)
            .seen(from: project.number)
        let current = projects.project(number: project.number) ?? project
        var view = View(project: current)
        view.restsOn = [grant.guardian, current.configuration]
        if key != nil { view.restsOn.append(current.ring) }
        view.isKeyBelieved = current.believes(key)
        guard let session = grant.state.sharedSession else { return view }
        view.session = session
        view.isOpen = grant.state.isOpen
        view.isDoubtful = current.mayLack(client)
        view.isClientEnabled =
            current.servedClient(client, in: session.value) != nil
            || view.isDoubtful && current.honours(client, in: session.value)
        let stream = session.sharedOpening.value.subject.stream
        let subject = try await load(Subject.self, stream, by: deadline)
        view.restsOn.append(subject.guardian)
        view.isSubjectActive = subject.state.isActive
        try await lookAtConsent(of: client, in: session, into: &view, by: deadline)
        var opening = session.sharedOpening.value
        for _ in 0...OfflineGrant.ownersMax {
            try await lookAtBrowser(of: opening, into: &view, by: deadline)
            guard let id = opening.owner else { return view }
            let owner = try await load(OfflineGrant.self, id.stream, by: deadline)
                .seen(from: project.number)
            guard let next = owner.state.sharedSession else { return view }
            guard let cascades = current.cascades(from: owner.state) else {
                view.isDoubtful = true
                return view
            }
            guard cascades else { return view }
            view.restsOn.append(owner.guardian)
            opening = next.sharedOpening.value
            if current.mayHaveStopped(cascading: opening) { view.mayBeSpared = true }
            if !owner.state.isOpen { view.loseGround() }
            if !current.honours(opening.client, in: next.value) { view.loseGround() }
            try await lookAtConsent(of: opening.client, in: next, into: &view, by: deadline)
        }
        view.loseGround()
        return view
    }

    private func lookAtBrowser(
        of opening: OfflineGrant.Opening,
        into view: inout View,
        by deadline: Deadline
    ) async throws(StoreError) {
        guard let browser = opening.browserSession?.stream else { return }
        let opened = try await load(BrowserSession.self, browser, by: deadline)
        if !view.restsOn.contains(opened.guardian) { view.restsOn.append(opened.guardian) }
        if !opened.state.isOpen { view.loseGround() }
    }

    /// As `Work.requireAlive`: what the withdrawal could not end no longer counts.
    private func lookAtConsent(
        of client: ClientID,
        in session: Shared<OfflineGrant.Session>,
        into view: inout View,
        by deadline: Deadline
    ) async throws(StoreError) {
        guard view.project.requiresConsent(client), session.value.known(client) != nil else {
            return
        }
        let subject = session.sharedOpening.value.subject
        let name = names.consent(subject, client, in: view.project.number)
        let consent = try await load(Consent.self, name, by: deadline)
        if !view.restsOn.contains(consent.guardian) { view.restsOn.append(consent.guardian) }
        if case .withdrawn = consent.state { view.loseGround() }
    }

    /// Perhaps from memory: the head check tells.
    private func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
        async throws(StoreError) -> Loaded<A>
    {
        if let known = Loaded<A>(stream, rememberedBy: store) { return known }
        return try await store.load(aggregate, stream, by: deadline)
    }

    /// The project as the log has it: a client disabled elsewhere is disabled here, and a key
    /// compromised elsewhere is believed no more.
    func currentProject(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        let restsOn = [project.configuration, project.ring]
        if try await store.areCurrent(restsOn, by: deadline) { return project }
        try await projects.reload(project.number, by: deadline)
        return projects.project(number: project.number) ?? project
    }
}
