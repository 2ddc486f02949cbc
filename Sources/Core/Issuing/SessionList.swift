package import Domain

/// The sessions of a user, read from the log and so exact (WireContract 9.5 and 13.3).
package struct SessionList: Sendable {
    /// Where sessions live.
    static let kinds: Set<AggregateKind> = [.offlineGrant, .browserSession]

    /// Entries of one page.
    package static let pageMax = 50
    /// Sessions looked at for one page: many may have ended, or expired, before one that has not.
    package static let lookedAtMax = 512
    /// Sessions looked at in one step.
    static let batchLength = 64

    private let commands: CommandRunner
    private var store: any EventStore { commands.store }

    package init(_ commands: CommandRunner) { self.commands = commands }

    /// One session as lists show it.
    package struct Entry: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable {
            case offlineGrant = "offline_grant"
            case browser
        }

        /// What a token of it would meet: a session has ended if what it rests on has.
        package enum Status: String, Hashable, Sendable, CaseIterable { case live, ended, expired }

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
        /// What the log has of an app's; nil of a browser's.
        package var grant: OfflineGrant.Session?
        /// What its app said of its phone.
        package var device: Sealed?
        /// The same of all sessions that are known to be on one device: the first one's.
        package var deviceGroup: SessionID
        /// Whose it is; nil where this process does not serve that project.
        package var project: ProjectID?
    }

    /// Part of a list, and where the next part begins.
    package struct Page: Hashable, Sendable {
        package var entries: [Entry] = []
        /// The session behind which the next page begins, whether it is shown or not; nil at the
        /// end.
        package var next: SessionID?
        /// Streams on the way that this program cannot read: nothing of them lets a request in.
        package var unreadable: [StreamID] = []
    }

    /// Newest first, from the one after `cursor` on: only those of `statuses` and, if a client is
    /// named, only those with it.
    ///
    /// A page may have few entries or none and yet a next one: it ends when it is full, and when
    /// `lookedAtMax` sessions have been looked at. The cursor may have ended since; behind one that
    /// is not of this user there is nothing. A session that cannot be read hides no other one
    /// (decision 0219), whatever it is.
    package func page(
        of subject: SubjectID,
        after cursor: SessionID?,
        showing statuses: Set<Entry.Status>,
        client: ClientID? = nil,
        in project: Project,
        by deadline: Deadline
    ) async throws(StoreError) -> Page {
        var foundations = Foundations(in: project, commands, by: deadline)
        var page = Page()
        var before: Int64?
        var lookedAt = cursor
        if let cursor {
            before = try await store.position(of: cursor.stream, openedFor: subject, by: deadline)
            guard before != nil else { return page }
        }
        for _ in 0..<(Self.lookedAtMax / Self.batchLength) {
            let streams = try await store.opened(
                for: subject,
                kinds: Self.kinds,
                before: before,
                limit: Self.batchLength,
                by: deadline
            )
            let wanted = statuses.contains(.ended) ? streams : streams.filter { !$0.isOver }
            for (opened, entry) in try await entries(wanted, &foundations, by: deadline) {
                if let entry {
                    let isWanted =
                        statuses.contains(entry.status)
                        && client.map(entry.clients.contains) ?? true
                    guard !isWanted || page.entries.count < Self.pageMax else {
                        page.next = lookedAt
                        return page
                    }
                    if isWanted { page.entries.append(entry) }
                } else {
                    page.unreadable.append(opened.stream)
                }
                lookedAt = SessionID(opened.stream)
            }
            guard streams.count == Self.batchLength, let last = streams.last else { return page }
            before = last.position
            lookedAt = SessionID(last.stream)
        }
        page.next = lookedAt
        return page
    }

    /// The sessions among these, in the same order, each with its entry; with none if it cannot be
    /// read.
    func entries(
        _ streams: [OpenedStream],
        _ foundations: inout Foundations,
        by deadline: Deadline
    ) async throws(StoreError) -> [(OpenedStream, Entry?)] {
        let grants = try await store.readableStates(
            OfflineGrant.self,
            of: streams.filter { $0.kind == .offlineGrant }.map(\.stream),
            by: deadline
        )
        let browsers = try await store.readableStates(
            BrowserSession.self,
            of: streams.filter { $0.kind == .browserSession }.map(\.stream),
            by: deadline
        )
        var entries: [(OpenedStream, Entry?)] = []
        for opened in streams {
            let stream = opened.stream
            if grants.unreadable[stream] != nil || browsers.unreadable[stream] != nil {
                entries.append((opened, nil))
                continue
            }
            let id = SessionID(stream)
            let found =
                grants.states[stream].flatMap { describe(id, $0) }
                ?? browsers.states[stream].flatMap { describe(id, $0) }
            guard var entry = found else { continue }
            entry.project = foundations.project.settings.id
            entry.status = try await foundations.status(of: entry)
            entries.append((opened, entry))
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
        if let entry = describe(id, found.state) {
            return try await judged(entry, in: grant.project, by: deadline)
        }
        let browser = try await store.loadCurrent(BrowserSession.self, id.stream, by: deadline)
        let entry = describe(id, (project.map(browser.seen) ?? browser).state)
        return try await judged(entry, in: browser.project, by: deadline)
    }

    private func judged(_ entry: Entry?, in number: ProjectNumber?, by deadline: Deadline)
        async throws(StoreError) -> Entry?
    {
        guard var entry, let project = number.flatMap(commands.projects.project(number:)) else {
            return entry
        }
        var foundations = Foundations(in: project, commands, by: deadline)
        entry.project = project.settings.id
        entry.status = try await foundations.status(of: entry)
        return entry
    }

    private func describe(_ id: SessionID, _ state: OfflineGrant.State) -> Entry? {
        guard let session = state.session else { return nil }
        let isOpen = state.isOpen
        return Entry(
            session: id,
            kind: .offlineGrant,
            status: !isOpen ? .ended : session.isLive(at: commands.clock.now) ? .live : .expired,
            subject: session.opening.subject,
            clients: session.clients.map(\.client),
            createdAt: session.opening.openedAt,
            lastUsedAt: session.lastUsedAt,
            expiresAt: session.opening.expiresAt,
            authentication: session.authentication,
            parent: session.opening.parent,
            grant: session,
            device: session.opening.device,
            deviceGroup: session.linkedDevice ?? id
        )
    }

    private func describe(_ id: SessionID, _ state: BrowserSession.State) -> Entry? {
        guard let session = state.session else { return nil }
        let isOpen = state.isOpen
        return Entry(
            session: id,
            kind: .browser,
            status: !isOpen ? .ended : session.isLive(at: commands.clock.now) ? .live : .expired,
            subject: session.subject,
            // One entry per login, so one app may stand there often.
            clients: session.joined.reduce(into: []) { clients, joined in
                if !clients.contains(joined.client) { clients.append(joined.client) }
            },
            createdAt: session.openedAt,
            lastUsedAt: session.lastSeenAt,
            expiresAt: session.expiresAt,
            authentication: session.authentication,
            parent: session.parent,
            deviceGroup: id
        )
    }
}
