package import Domain
internal import EventFormat
package import Issuing
internal import Runtime

extension PostgresEventStore {
    package func load<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        by deadline: Deadline
    ) async throws(StoreError) -> Loaded<A> {
        let entry = cache.find(stream)
        if let entry, !entry.isStale, let state = entry.state as? A.State {
            metrics.cacheHits.add()
            return Loaded(stream, entry, state, isCurrent: false)
        }
        metrics.cacheMisses.add()
        return try await read(aggregate, stream, from: entry, by: deadline)
    }

    package func remembered(_ stream: StreamID) -> RememberedState? {
        guard let entry = cache.find(stream), !entry.isStale else { return nil }
        metrics.cacheHits.add()
        return RememberedState(
            project: entry.project,
            version: entry.version,
            server: entry.server,
            hash: entry.hash,
            occurredAt: entry.occurredAt,
            state: entry.state
        )
    }

    package func loadCurrent<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        by deadline: Deadline
    ) async throws(StoreError) -> Loaded<A> {
        // What was read from the log after this call began is as good as compared with it.
        try await read(aggregate, stream, from: cache.find(stream), by: deadline)
    }

    /// Reads what came after `entry`, or after the stream's snapshot, and folds it on.
    private func read<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        from entry: StateCache.Entry?,
        by deadline: Deadline,
        usesSnapshot: Bool = true
    ) async throws(StoreError) -> Loaded<A> {
        let server = entry?.server ?? cache.server
        var fold = Fold<A>(stream, from: entry, at: server)
        let start = fold.version
        let reader = try reader()
        var isAll = false
        repeat {
            let isNew = fold.version == 0 && usesSnapshot && snapshots != nil
            let wanted = WantedStream(
                stream,
                after: fold.version,
                format: isNew ? StateFormat.number(for: aggregate) : nil
            )
            let answer = try await reader.rows(of: wanted, by: deadline)
            let rows = answer.rows
            guard server == cache.server else {
                return try await loadCurrent(aggregate, stream, by: deadline)
            }
            isAll = answer.isAll
            metrics.eventsRead.add(rows.count)
            if fold.version == 0, let first = rows.first, !first.begins(aggregate) {
                return try await absent(
                    aggregate,
                    in: first,
                    at: server,
                    over: reader,
                    by: deadline
                )
            }
            for row in rows {
                guard try take(row, into: &fold) else {
                    let loaded = try await read(
                        aggregate,
                        stream,
                        from: entry,
                        by: deadline,
                        usesSnapshot: false
                    )
                    // Without any event: they went with their partition, and it goes, too.
                    if loaded.version > 0 { refused(snapshotOf: stream) }
                    return loaded
                }
            }
        } while !isAll
        if let read = fold.entry, fold.version > start || entry?.isStale == true {
            cache.keep(noted(read, of: stream), of: stream)
        }
        return fold.loaded
    }

    /// What this aggregate is in a stream of another kind: nothing yet.
    ///
    /// Ids travel in tokens, which anybody can make up, so that is no damage. The version is the
    /// stream's own, as a guard on it must hold; without the hash nothing can be appended.
    private func absent<A: Aggregate>(
        _ aggregate: A.Type,
        in row: StreamRow,
        at server: Int,
        over reader: StreamReader,
        by deadline: Deadline
    ) async throws(StoreError) -> Loaded<A> {
        let heads = try await reader.heads(of: [row.stream], by: deadline)
        return Loaded(
            stream: row.stream,
            project: ProjectNumber(row.project),
            version: heads.first ?? row.version,
            server: server,
            hash: nil,
            occurredAt: nil,
            state: A.initial,
            isCurrent: true
        )
    }

    /// False when the row carries a snapshot that is not one of ours.
    private func take<A: Aggregate>(_ row: StreamRow, into fold: inout Fold<A>)
        throws(StoreError) -> Bool
    {
        guard let snapshot = row.snapshot else {
            let event = try A.unwrap(body(of: row))
            guard let event, fold.take(event, row) else { throw corrupt(row) }
            return true
        }
        guard let state = snapshots?.state(of: snapshot, at: row, as: A.self),
            fold.resume(state, row, stateBytes: snapshot.state.count)
        else { return false }
        metrics.snapshotsUsed.add()
        return true
    }

    /// An alarm for the operator: it is not ours, or of another history.
    private func refused(snapshotOf stream: StreamID) {
        metrics.snapshotsRefused.add()
        log.warning("snapshot refused", .field("stream", stream.description))
    }

    /// An alarm for the operator; the stream's own requests fail, others go on.
    func corrupt(_ row: StreamRow) -> StoreError {
        log.error(
            "stream cannot be read",
            .field("stream", row.stream.description),
            .field("version", row.version),
            .field("type", row.type)
        )
        return .corrupt(row.stream, version: row.version)
    }
}

extension StreamRow {
    /// Whether the stream of this row can be one of `aggregate`; an unknown type says nothing.
    fileprivate func begins<A: Aggregate>(_ aggregate: A.Type) -> Bool {
        StoredType(rawValue: type).map { $0.kind == A.kind } ?? true
    }
}

/// A stream's state on its way from one version to the next.
private struct Fold<A: Aggregate> {
    let stream: StreamID
    let server: Int
    private var project: ProjectNumber?
    private(set) var version: Int32 = 0
    private var hash: EventHash?
    private var occurredAt: Instant?
    private var state = A.initial
    private var cost: Int?
    private let marks: UInt32
    private var snapshotVersion: Int32 = 0

    init(_ stream: StreamID, from entry: StateCache.Entry?, at server: Int) {
        self.stream = stream
        self.server = server
        marks = entry?.marks ?? 0
        guard let entry, let state = entry.state as? A.State else { return }
        project = entry.project
        version = entry.version
        hash = entry.hash
        occurredAt = entry.occurredAt
        self.state = state
        cost = entry.cost
        snapshotVersion = entry.snapshotVersion
    }

    /// False when the event cannot follow: the stream is damaged.
    mutating func take(_ event: A.Event, _ row: StreamRow) -> Bool {
        guard row.version == version + 1, let next = A.evolve(state, by: event) else {
            return false
        }
        return move(to: row, next, bytes: row.payload.count)
    }

    /// Goes on from the state that a snapshot has of this row's version.
    mutating func resume(_ state: A.State, _ row: StreamRow, stateBytes: Int) -> Bool {
        guard version == 0, move(to: row, state, bytes: stateBytes) else { return false }
        snapshotVersion = row.version
        return true
    }

    private mutating func move(to row: StreamRow, _ next: A.State, bytes: Int) -> Bool {
        guard let digest = TokenDigest(bytes: row.hash), let owner = ProjectNumber(row.project)
        else { return false }
        project = owner
        version = row.version
        hash = EventHash(digest: digest)
        occurredAt = row.columns.occurredAt
        state = next
        cost = StateCache.cost(before: cost, payloadBytes: bytes)
        return true
    }

    var entry: StateCache.Entry? {
        guard let project, let hash, let occurredAt, let cost else { return nil }
        return StateCache.Entry(
            project: project,
            version: version,
            server: server,
            hash: hash,
            occurredAt: occurredAt,
            state: state,
            cost: cost,
            marks: marks,
            snapshotVersion: snapshotVersion
        )
    }

    var loaded: Loaded<A> {
        Loaded(
            stream: stream,
            project: project,
            version: version,
            server: server,
            hash: hash,
            occurredAt: occurredAt,
            state: state,
            isCurrent: true
        )
    }
}

extension Loaded {
    fileprivate init(
        _ stream: StreamID,
        _ entry: StateCache.Entry,
        _ state: A.State,
        isCurrent: Bool
    ) {
        self.init(
            stream: stream,
            project: entry.project,
            version: entry.version,
            server: entry.server,
            hash: entry.hash,
            occurredAt: entry.occurredAt,
            state: state,
            isCurrent: isCurrent
        )
    }
}
