internal import Domain

/// Applies `chancery.events` to the revocation read model and tells others (Events 11).
///
/// One is active per database; the others stand by. `turn` does one small thing and returns within
/// about half a second, so that whoever calls it can end it or look at `status`.
package struct Projector<
    Store: ProjectionStore,
    Source: EventSource,
    Sink: RevocationSink
> {
    /// How long a holder may be silent before the others end it.
    package static var silenceMax: Duration { .seconds(20) }

    let store: Store
    let source: Source
    let sink: Sink
    let clock: any RelayClock
    let observer: (any ProjectorObserver)?
    var active: ActiveProjector?
    private var mustCatchUp = false
    /// Whether Kafka did not answer when it was asked last.
    var waitsForKafka = false
    /// After a halt, or when it left the lead to another, it looks again not before this.
    var restsUntil: UInt64 = 0
    /// How often it has left the lead for a partition that stood still, since all moved.
    var readingHandOvers: UInt64 = 0
    /// How often it has left the lead for the topic of revocations, since that took something.
    var sinkHandOvers: UInt64 = 0
    /// What it is doing.
    package internal(set) var status = ProjectorStatus()

    /// Makes a projector that stands by.
    package init(
        store: Store,
        source: Source,
        sink: Sink,
        clock: any RelayClock,
        observer: (any ProjectorObserver)? = nil
    ) {
        self.observer = observer
        self.store = store
        self.source = source
        self.sink = sink
        self.clock = clock
    }

    /// Does the next thing.
    package mutating func turn() async {
        do throws(ProjectionTrouble) {
            if clock.nanoseconds < restsUntil {
                await clock.pause(.seconds(1))
            } else if active == nil {
                try await standBy()
            } else {
                try await work()
            }
        } catch { await cope(with: error) }
        report()
    }

    /// Gives up the lead, so that another can take it at once.
    package mutating func end() async {
        active = nil
        await source.stop()
        await sink.leave()
        await store.resign()
        report()
    }

    // MARK: - Standing by

    private mutating func standBy() async throws(ProjectionTrouble) {
        // One without Kafka would only take the lead from those that have it.
        if waitsForKafka { _ = try await askForEnds() }
        guard try await store.lead() else {
            status.role = .standby
            // The other one's work: whether it is done.
            status.completeThrough = try await store.position().progress.complete?.completeThrough
            _ = try await store.deposeHolder(silentFor: Self.silenceMax)
            await clock.pause(.seconds(1))
            return
        }
        let (cluster, ends) = try await askForEnds()
        // After each question: brokers that are slow to answer must not look like a silence.
        let position = try await store.position()
        var progress = position.progress
        if position.isOn(cluster), ends.end(before: progress.offsets) { status.lossCount += 1 }
        let phase: ActiveProjector.Phase
        if mustCatchUp || !position.isOn(cluster) || !ends.hold(progress.offsets) {
            // Another cluster, a topic made anew or cut off before what was read, or a model that
            // has read nothing: PostgreSQL has all of it, and the topic may not. Every record
            // before the ends has at most this number.
            let target = try await source.lastIndex(of: progress.log, before: ends)
            try await store.showLife()
            progress.leavesTopic()
            phase = .catchingUp(target: target, offsets: ends.highs)
        } else {
            // Which numbers beyond the frontier were applied is not known any more.
            phase = .catchingUp(target: progress.greatest, offsets: progress.offsets)
        }
        mustCatchUp = false
        active = ActiveProjector(
            progress,
            on: cluster,
            acknowledged: position.acknowledged,
            phase,
            at: clock.nanoseconds
        )
        if !position.tells(cluster) { active?.queuesAll() }
    }

    // MARK: - Trouble

    private mutating func cope(with trouble: ProjectionTrouble) async {
        await end()
        switch trouble {
        case .unavailable, .otherCluster:
            // Not at once: two clusters may take turns under one address.
            status.role = .waiting
            await clock.pause(.seconds(1))
        case .superseded: status.role = .standby
        case .missedHistory:
            status.role = .standby
            status.lossCount += 1
            mustCatchUp = true
        case .refused(let reason):
            status.role = .halted(reason)
            // Not here: whoever turns it must hear of the halt at once.
            restsUntil = clock.nanoseconds + 10_000_000_000
        }
    }

    private mutating func report() {
        guard let active else {
            status.isCatchingUp = false
            return
        }
        status.role = .active
        status.isCatchingUp = if case .catchingUp = active.phase { true } else { false }
        status.frontier = active.progress.frontier
        status.late = active.progress.late
        status.completeThrough = active.progress.complete?.completeThrough
        status.blocked = active.blocked
    }
}
