package import Domain
internal import EventFormat
package import Issuing
package import Postgres
package import Runtime

/// The event log in PostgreSQL (Architecture 8 and 9).
///
/// One per process, for all its loops: each loop reads through its own connection, appends go
/// through lanes of their own, states are cached for all. What is cached may be stale; appends name
/// the versions they saw, and answers compare with the head of the log.
package final class PostgresEventStore: EventStore {
    let cache: StateCache
    let metrics: PersistenceMetrics
    let log: Log
    private let readers: [StreamReader]
    private let lanes: [AppendLane]
    private let turnstile = Turnstile()
    /// Nil: every load folds from the first event.
    let snapshots: Snapshots?
    private let encoder: EventEncoder
    /// Nil: what was read lasts.
    private let confirmation: (@Sendable (Deadline) async throws(StoreError) -> Void)?

    /// Puts the store together; `start` connects.
    ///
    /// `settings` are for the lanes, as role `token_issuer`; `database` has the same loops.
    package convenience init(
        _ settings: EventStoreSettings,
        connection: ConnectionSettings,
        database: Database,
        loops: [Loop],
        names: StreamNames,
        digester: any Digester,
        metrics: PersistenceMetrics,
        log: Log
    ) {
        let notifier = CommitNotifier(database)
        let server = database.server
        self.init(
            settings,
            readers: loops.compactMap { loop in
                database.keeper(of: loop).map { (loop, PostgresLogConnection(keeper: $0)) }
            },
            lanes: loops.prefix(max(1, settings.lanes)).map { loop in
                (loop, PostgresLogConnection(keeper: database.laneKeeper(connection, on: loop)))
            },
            names: names,
            digester: digester,
            metrics: metrics,
            log: log
        ) {
            notifier.committed(on: $0)
        } confirmation: { (deadline: Deadline) async throws(StoreError) in
            try await database.confirm(by: deadline)
        }
        server.onChange { [cache] in
            log.notice("PostgreSQL is another server, or was started anew: states are read again")
            cache.beginServer()
        }
    }

    /// Puts the store together over connections of any making.
    ///
    /// Without `digester` no snapshots are used. `onCommit` is called on the lane's loop after
    /// each call that committed something, `confirmation` for each `confirm`.
    package init(
        _ settings: EventStoreSettings,
        readers: [(loop: Loop, connection: any LogConnection)],
        lanes: [(loop: Loop, connection: any LogConnection)],
        names: StreamNames,
        digester: (any Digester)? = nil,
        metrics: PersistenceMetrics,
        log: Log,
        onCommit: @escaping @Sendable (Loop) -> Void,
        confirmation: (@Sendable (Deadline) async throws(StoreError) -> Void)? = nil
    ) {
        self.confirmation = confirmation
        self.metrics = metrics
        self.log = log
        let cache = StateCache(bytesMax: settings.cacheBytesMax)
        self.cache = cache
        snapshots = digester.map { digester in
            Snapshots(digester: digester, over: readers, metrics: metrics) { cache.server }
        }
        encoder = EventEncoder(node: settings.node, names: names)
        self.readers = readers.map { StreamReader(over: $0.connection, on: $0.loop) }
        self.lanes = lanes.map { loop, connection in
            AppendLane(
                over: connection,
                on: loop,
                currentServer: { cache.server },
                onCommit: onCommit,
                metrics: metrics,
                log: log
            )
        }
    }

    /// Begins to connect the lanes.
    package func start() { for lane in lanes { lane.start() } }

    /// Closes the lanes; commands in flight hear that their outcome is unknown.
    package func stop() { for lane in lanes { lane.stop() } }

    /// Publishes `chancery_cache_bytes`.
    package func publish(to metrics: Metrics) {
        metrics.observe("chancery_cache_bytes", "What cached states are estimated to take.") {
            [cache] in Double(cache.bytes)
        }
    }

    /// Makes the next load ask the log: somebody says the stream is at `version`, or has moved.
    ///
    /// What this node knows already, as its own commits, is no news. A wrong hint costs a query.
    package func hint(_ stream: StreamID, at version: Int32? = nil) {
        cache.markStale(stream, below: version ?? .max)
    }

    /// Forgets what it knows of a stream, as when hints may have been missed.
    package func forget(_ stream: StreamID) { cache.remove(stream) }

    package func append(_ commit: Commit, by deadline: Deadline) async throws(StoreError) {
        let server = cache.server
        guard commit.isOf(server) else { throw .conflict }
        let command = try encoder.encode(commit)
        let lane = try lane()
        guard let loop = Loop.current else { throw .unavailable }
        // Not asked of `commit` in there: a closure counts references to all it names.
        let priority = commit.priority
        let outcome: PendingAppend.Outcome = await loop.park { waiting in
            lane.submit(
                PendingAppend(
                    command,
                    from: server,
                    priority: priority,
                    arrival: loop.now,
                    deadline: MonotonicInstant(deadline)
                ) { waiting.resume(returning: $0) }
            )
        }
        switch outcome {
        case .success:
            keep(commit, as: command, from: server)
            metrics.sessions.count(commit)
        case .failure(let error):
            if case .conflict = error { metrics.conflict(of: commit) }
            // A command that was turned away changed nothing: what is remembered still holds.
            if error != .unavailable {
                for append in commit.streams { cache.markStale(append.stream) }
                for held in commit.guards { cache.markStale(held.stream) }
            }
            throw error
        }
    }

    package func confirm(by deadline: Deadline) async throws(StoreError) {
        try await confirmation?(deadline)
    }

    package func enter(_ stream: StreamID, by deadline: Deadline) async throws(StoreError) {
        try await turnstile.enter(stream, by: deadline)
    }

    package func leave(_ stream: StreamID) { turnstile.leave(stream) }

    package func areCurrent(
        _ streams: [StreamGuard],
        by deadline: Deadline
    ) async throws(StoreError) -> Bool {
        let server = cache.server
        var areAllCurrent = streams.allSatisfy { $0.isOf(server) }
        for start in stride(from: 0, to: streams.count, by: LookUps.streamsPerQueryMax) {
            let end = min(start + LookUps.streamsPerQueryMax, streams.count)
            let part = streams[start..<end]
            let heads = try await reader().heads(of: part.map(\.stream), by: deadline)
            for (held, head) in zip(part, heads) {
                let isEqual = held.version == head
                (isEqual ? metrics.headsEqual : metrics.headsMoved).add()
                if !isEqual {
                    areAllCurrent = false
                    cache.markStale(held.stream)
                }
            }
        }
        // What two servers said is not true at one moment.
        return areAllCurrent && server == cache.server
    }

    package func history(
        of stream: StreamID,
        after version: Int32,
        by deadline: Deadline
    ) async throws(StoreError) -> [RecordedEvent] {
        let connection = try reader().connection
        let rows: [StreamRow]
        do throws(PostgresError) {
            rows = try await connection.history(
                of: stream,
                after: version,
                deadline: MonotonicInstant(deadline)
            )
        } catch { throw .unavailable }
        var history: [RecordedEvent] = []
        history.reserveCapacity(rows.count)
        for row in rows {
            guard row.version == version + Int32(history.count) + 1,
                let project = ProjectNumber(row.project)
            else { throw corrupt(row) }
            history.append(
                RecordedEvent(
                    project: project,
                    stream: stream,
                    version: row.version,
                    occurredAt: row.columns.occurredAt,
                    subject: row.columns.subject,
                    session: row.columns.session,
                    body: try body(of: row)
                )
            )
        }
        return history
    }

    func reader() throws(StoreError) -> StreamReader {
        guard let current = Loop.current, let found = readers.first(where: { $0.loop === current })
        else { throw .unavailable }
        return found
    }

    /// The lane of this loop; loops beyond the lanes share them.
    private func lane() throws(StoreError) -> AppendLane {
        guard let current = Loop.current,
            let index = readers.firstIndex(where: { $0.loop === current }), !lanes.isEmpty
        else { throw .unavailable }
        return lanes[index % lanes.count]
    }

    /// The state after the commit is the next command's start.
    private func keep(_ commit: Commit, as command: EncodedCommand, from server: Int) {
        var row = 0
        let streams = commit.streams.span
        for place in streams.indices {
            let end = row + streams[place].events.count
            let rows = command.rows.span.extracting(row..<end)
            keep(place, of: commit, rows: rows, from: server)
            row = end
        }
    }

    private func keep(
        _ place: Int,
        of commit: Commit,
        rows: Span<EncodedCommand.Row>,
        from server: Int
    ) {
        let streams = commit.streams.span
        guard !rows.isEmpty else { return }
        // Nobody reads a spent artefact's stream again.
        guard streams[place].kind != .spent else { return }
        let (stream, expected) = (streams[place].stream, streams[place].expected)
        guard let state = streams[place].stateAfter else { return cache.remove(stream) }
        let before = cache.accounts(of: stream)
        let payload = rows.indices.reduce(0) { $0 + rows[$1].event.payload.count }
        let last = rows.count - 1
        let entry = StateCache.Entry(
            project: commit.project,
            version: rows[last].event.version,
            server: server,
            hash: rows[last].hash,
            occurredAt: rows[last].event.columns.occurredAt,
            state: state,
            cost: StateCache.cost(before: before?.cost, payloadBytes: payload),
            // Of a stream evicted meanwhile nothing is known: the next load knows it.
            snapshotVersion: before?.snapshotVersion ?? expected
        )
        cache.keep(noted(entry, of: stream), of: stream)
    }

    /// The entry as it is to be cached; its state is kept in the database when it is time.
    func noted(_ entry: StateCache.Entry, of stream: StreamID) -> StateCache.Entry {
        snapshots?.noted(entry, of: stream) ?? entry
    }

    func body(of row: StreamRow) throws(StoreError) -> DomainEvent {
        do {
            return try EventFormat.decode(
                type: row.type,
                payload: row.payload,
                columns: row.columns
            )
        } catch { throw corrupt(row) }
    }
}
