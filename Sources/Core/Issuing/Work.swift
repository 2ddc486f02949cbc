package import Domain

/// One attempt at a command: what it has loaded, decided and guards.
package struct Work {
    /// The project as it is at this attempt.
    package let project: Project
    package let command: CommandID
    package let deadline: Deadline
    package var attributes: EventAttributes
    /// Never earlier than the newest event of any stream loaded so far (Events 1).
    package private(set) var now: Instant

    private let store: any EventStore
    /// Names the streams of all projects, this one's among them.
    let names: StreamNames
    private let priority: CommandRequest.Priority
    /// Whether loads compare with the head of the log.
    private let isCareful: Bool
    /// Whether an earlier attempt lost: then somebody may have been there first.
    let isRepeated: Bool
    /// Whether all it has loaded was current: then what it refuses is the truth.
    private(set) var isCurrent = true
    /// A stream whose decider contradicts its own `evolve`: nothing may be appended.
    private(set) var damaged: StreamID?
    private var appends: [StreamAppend] = []
    private(set) var guards: [StreamGuard] = []

    init(
        project: Project,
        command: CommandID,
        attributes: EventAttributes,
        now: Instant,
        deadline: Deadline,
        store: any EventStore,
        names: StreamNames,
        priority: CommandRequest.Priority = .usual,
        isCareful: Bool,
        isRepeated: Bool = false
    ) {
        self.project = project
        self.command = command
        self.attributes = attributes
        self.now = now
        self.deadline = deadline
        self.store = store
        self.names = names
        self.priority = priority
        self.isCareful = isCareful
        self.isRepeated = isRepeated
        guards.reserveCapacity(4)
    }

    /// - Throws: `.conflict` when this node has not heard of the newest configuration.
    func requireCurrentSettings() async throws(StoreError) {
        let isCurrent = try await store.areCurrent([project.configuration], by: deadline)
        guard isCurrent else { throw .conflict }
    }

    /// `seconds` from now in whole milliseconds, as deadlines are stored (Events 4).
    package func after(seconds: Int64) -> Instant { now.adding(seconds: seconds).wholeMilliseconds }

    /// Loads a stream of this project; perhaps from the cache: the append will tell.
    package mutating func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID)
        async throws(StoreError) -> Loaded<A>
    {
        try await loadOfAny(aggregate, stream).seen(from: project.number)
    }

    /// As `load`, of whatever project: for operators' rules that hold between projects.
    mutating func loadOfAny<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID)
        async throws(StoreError) -> Loaded<A>
    {
        if let known: Loaded<A> = remembered(stream) { return known }
        if isCareful { return taken(try await store.loadCurrent(aggregate, stream, by: deadline)) }
        return taken(try await store.load(aggregate, stream, by: deadline))
    }

    /// What `load` returns where it need not wait; nil where it has to.
    mutating func known<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID) -> Loaded<A>? {
        remembered(stream)?.seen(from: project.number)
    }

    private mutating func remembered<A: Aggregate>(_ stream: StreamID) -> Loaded<A>? {
        guard !isCareful, let known = Loaded<A>(stream, rememberedBy: store) else { return nil }
        return taken(known)
    }

    /// As `load`, but always asks the log: where a cache would tell who is known.
    mutating func loadCurrent<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID)
        async throws(StoreError) -> Loaded<A>
    {
        let loaded = try await store.loadCurrent(aggregate, stream, by: deadline)
        return taken(loaded).seen(from: project.number)
    }

    private mutating func taken<A: Aggregate>(_ loaded: Loaded<A>) -> Loaded<A> {
        isCurrent = isCurrent && loaded.isCurrent
        if let last = loaded.occurredAt, last > now { now = last }
        return loaded
    }

    /// Moves on to a millisecond in which nothing has happened on `loaded` yet.
    ///
    /// A token tells the millisecond of its birth, and by that to which stay of its client it
    /// belongs; where clocks differ two stays could share one.
    mutating func passMillisecond<A: Aggregate>(of loaded: Loaded<A>) {
        guard let last = loaded.occurredAt else { return }
        now = max(now, last.wholeMilliseconds.adding(milliseconds: 1))
    }

    /// Decides on `loaded`, keeps the events for the append, and moves `loaded` past them; where
    /// nothing is to be done, guards the state that says so (decision 0162).
    ///
    /// `owner`: whose stream it is, where that is not whom the command is about.
    @discardableResult
    package mutating func decide<A: Aggregate>(
        _ command: A.Command,
        on loaded: inout Loaded<A>,
        of owner: SubjectID? = nil
    ) throws(A.Rejection) -> [A.Event] {
        var after = loaded.state
        let events = try A.decide(command, in: after)
        guard !events.isEmpty else {
            // From a cache, perhaps: what another node has done since would be overlooked.
            require(loaded)
            return []
        }
        let expected = loaded.version
        // Not `fold`, which is generic in a module of its own and so not specialised for us.
        for event in events {
            guard let next = A.evolve(after, by: event) else {
                damaged = loaded.stream
                return events
            }
            after = next
        }
        loaded.state = after
        loaded.version += Int32(events.count)
        keep(events.map(A.wrap), of: A.kind, on: loaded, of: owner, expected: expected)
        return events
    }

    /// Makes the append fail when `loaded` has moved meanwhile, without writing to it.
    package mutating func require<A: Aggregate>(_ loaded: Loaded<A>) {
        require(loaded.guardian)
    }

    /// As above.
    package mutating func require(_ stream: StreamGuard) {
        if !guards.contains(stream) { guards.append(stream) }
    }

    private mutating func keep<A: Aggregate>(
        _ events: [DomainEvent],
        of kind: AggregateKind,
        on loaded: Loaded<A>,
        of owner: SubjectID?,
        expected: Int32
    ) {
        if let index = place(of: loaded.stream) {
            appends[index].events += events
            appends[index].stateAfter = loaded.state
            return
        }
        appends.append(
            StreamAppend(
                stream: loaded.stream,
                kind: kind,
                expected: expected,
                server: loaded.server,
                previousHash: loaded.hash,
                occurredAt: now,
                events: events,
                owner: owner,
                stateAfter: loaded.state
            )
        )
    }

    /// Where the events of a stream are among the appends.
    private func place(of stream: StreamID) -> Int? {
        // By places: a loop over the elements counts references to all that is in each.
        let appends = appends.span
        return appends.indices.first { appends[$0].stream == stream }
    }

    /// Drops all that was decided: a refusal without a record spends nothing either.
    mutating func takeBack() { appends = [] }

    /// Whether nothing was decided yet.
    var isEmpty: Bool { appends.isEmpty }

    /// Whether all it records is that proofs were used, once.
    var onlySpends: Bool {
        guard !isEmpty else { return false }
        let appends = appends.span
        return appends.indices.allSatisfy { appends[$0].kind == .spent }
    }

    /// What to append; nil when nothing was decided and so nothing can have changed.
    var commit: Commit? {
        guard !appends.isEmpty else { return nil }
        var streams = appends
        for index in streams.indices where streams[index].occurredAt != now {
            // A later load moved the time: the log will have another one than this state.
            streams[index].occurredAt = now
            streams[index].stateAfter = nil
        }
        return Commit(
            command: command,
            project: project.number,
            attributes: attributes,
            streams: streams,
            // A stream this command writes to is held by its expected version already.
            guards: guards.filter { place(of: $0.stream) == nil },
            priority: priority
        )
    }
}
