package import Domain
package import Projections

/// What a batch of records changes in the revocation read models: applied together or not at all.
package struct ProjectionBatch: Sendable {
    /// Records of one batch.
    package static let recordsMax = 500

    /// A row of the read model, and its number when it comes late.
    package struct Row: Hashable, Sendable {
        package var revocation: Revocations.Revocation
        /// Counts rows whose number the frontier had passed: readers of the feed find them by it.
        package var lateNumber: Int64?
    }

    /// Why an entry cannot be taken as it is.
    package enum Obstacle: Hashable, Sendable {
        /// These versions of its stream come before it, and were not seen.
        case gap(SessionID, missing: ClosedRange<Int32>)
        /// It cannot be read.
        case unreadable(PublishedPlace?, reason: String)
    }

    /// Where the projection stands after it.
    package private(set) var progress: ProjectionProgress
    /// New revocations, in the order of the log of each partition.
    package private(set) var rows: [Row] = []
    private var rowKeys: Set<Revocations.Key> = []
    /// Keys that are stopped from here on.
    package private(set) var blocked: [BlockedKey] = []
    /// Keys that go on.
    package private(set) var released: [[UInt8]] = []
    /// Events applied, and events that had been applied before.
    package private(set) var eventCount = 0
    package private(set) var duplicateCount = 0
    private var patches: [SessionID: RecordedSessions.Patch] = [:]
    private var versions: [SessionID: Int32]
    private let served: Int64
    private let now: Instant?

    /// Begins after `progress`; `now` is what `ProjectionProgress.sees` wants.
    ///
    /// `versions` are the last ones applied of each session that may come, absent for one that has
    /// no row.
    package init(
        after progress: ProjectionProgress,
        versions: [SessionID: Int32],
        at now: Instant? = nil
    ) {
        self.progress = progress
        self.versions = versions
        served = progress.frontier
        self.now = now
    }

    /// One change per session.
    package var sessions: [RecordedSessions.Patch] {
        patches.values.sorted { $0.session.stream < $1.session.stream }
    }

    /// The version applied last of a session; 0 before the first.
    package func version(of session: SessionID) -> Int32 { versions[session] ?? 0 }

    /// Takes the next entry of a partition; with an obstacle, nothing of it is taken.
    package mutating func take(_ entry: ProjectionEntry) -> Obstacle? {
        let isHeld = progress.blocked[entry.key] != nil
        switch entry.content {
        case .event(_, let index) where isHeld: _ = progress.takes(index, in: entry.partition)
        case .event(let event, let index):
            guard progress.isNew(index, in: entry.partition) else { break }
            if let gap = gap(before: event) { return gap }
            apply(event)
            _ = progress.takes(index, in: entry.partition)
        case .counted(let index): _ = progress.takes(index, in: entry.partition)
        case .watermark(let watermark): progress.sees(watermark, in: entry.partition, at: now)
        case .unreadable(let place, let reason):
            guard isHeld else { return .unreadable(place, reason: reason) }
            if let place { _ = progress.takes(place.index, in: entry.partition) }
        case .passed: break
        }
        progress.passes(entry.offset + 1, in: entry.partition)
        return nil
    }

    /// Takes events of one stream from PostgreSQL, in order, with their numbers.
    ///
    /// What was applied before changes nothing, and neither does what belongs to a stopped key.
    package mutating func fill(_ events: [RecordedEvent]) {
        guard !progress.blocked.isEmpty else { return events.forEach { apply($0) } }
        for event in events where progress.blocked[event.stream.textBytes] == nil { apply(event) }
    }

    /// Takes a run of the published order from PostgreSQL.
    package mutating func take(_ range: PublishedRange) {
        // Before their streams are stopped: what stands before the event that cannot be read is
        // not asked for again, and a claim may cover it.
        fill(range.events)
        for key in range.unreadable { block(key) }
        progress.catchesUp(to: range.last)
    }

    /// Leaves out what nobody can accept any more.
    package mutating func forget(expiredBefore instant: Instant) {
        rows.removeAll { $0.revocation.expiresAt < instant }
    }

    /// Passes an entry whose stream came from PostgreSQL instead.
    package mutating func pass(_ entry: ProjectionEntry) {
        switch entry.content {
        case .event(_, let index), .counted(let index):
            _ = progress.takes(index, in: entry.partition)
        case .unreadable(let place?, _): _ = progress.takes(place.index, in: entry.partition)
        case .unreadable(nil, _), .watermark, .passed: break
        }
        progress.passes(entry.offset + 1, in: entry.partition)
    }

    /// Stops the key of an entry, which is counted and not applied.
    package mutating func block(_ entry: ProjectionEntry, stream: StreamID?, reason: String) {
        // Anybody who may write to the topic can name any number (Security T9).
        let (next, _) = progress.applied[entry.partition, default: -1].addingReportingOverflow(1)
        let index: Int64 =
            switch entry.content {
            case .event(_, let index), .counted(let index): index
            case .unreadable(let place, _): place?.index ?? next
            case .watermark, .passed: next
            }
        block(
            BlockedKey(
                key: entry.key,
                partition: entry.partition,
                offset: entry.offset,
                index: index,
                stream: stream,
                reason: reason
            )
        )
        pass(entry)
    }

    /// Stops a key; of one that is stopped, the first reason stays.
    package mutating func block(_ key: BlockedKey) {
        guard progress.blocked[key.key] == nil else { return }
        progress.block(key)
        blocked.append(key)
    }

    /// Lets a key go on; everything of it has been filled in.
    package mutating func release(_ key: [UInt8]) {
        progress.release(key)
        released.append(key)
    }

    /// Everything up to the frontier came from PostgreSQL, and reading goes on at `offsets`.
    package mutating func resume(at offsets: [Int32: Int64]) { progress.resumes(at: offsets) }

    private func gap(before event: RecordedEvent) -> Obstacle? {
        let session = SessionID(event.stream)
        let next = version(of: session) + 1
        return event.version > next ? .gap(session, missing: next...event.version - 1) : nil
    }

    private mutating func apply(_ event: RecordedEvent) {
        let session = SessionID(event.stream)
        guard event.version > version(of: session) else {
            duplicateCount += 1
            return
        }
        for change in RecordedSessions.changes(for: event) {
            versions[session] = event.version
            patches[session, default: RecordedSessions.Patch(change)].add(change)
        }
        for case .put(var revocation) in Revocations.changes(for: event) {
            // Of two rows of one key PostgreSQL would take neither.
            if !rowKeys.insert(revocation.key).inserted {
                // A client may leave again: the later end says more. All else ends once, unless a
                // stranger's record says otherwise.
                guard case .client = revocation.key,
                    let place = rows.firstIndex(where: { $0.revocation.key == revocation.key })
                else { continue }
                revocation = revocation.replacing(rows.remove(at: place).revocation)
            }
            let number = progress.lateNumber(of: revocation.logIndex ?? 0, served: served)
            rows.append(Row(revocation: revocation, lateNumber: number))
        }
        eventCount += 1
    }
}
