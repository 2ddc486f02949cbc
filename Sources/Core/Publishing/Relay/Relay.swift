internal import Domain

/// Publishes the log in order, each event under a number of its own (Events 9).
///
/// One is active per database; the others stand by. `turn` does one small thing and returns within
/// about half a second, so that whoever calls it can end it or look at `status`.
package struct Relay<Log: RelayLeadership & EventLog & PublishedLedger, Publisher: EventPublisher> {
    /// Rows on their way at most: a relay that dies leaves so many to be published again.
    package static var rowsOnTheirWayMax: Int { 4 * LogRow.batchMax }
    /// Records looked at behind each partition's end: more than a relay ever has on its way.
    static var tailMax: Int { 6 * LogRow.batchMax }
    /// Of each partition, to see whether there is something: behind an event that is not recorded
    /// there may stand one watermark, which was begun before and does not name it, and never two.
    static var tailMin: Int { 2 }
    /// How long a holder may be silent before the others end it.
    package static var silenceMax: Duration { .seconds(10) }

    let observer: (any RelayObserver)?
    let log: Log
    let publisher: Publisher
    let clock: any RelayClock
    let replayStart: Int64
    var active: ActiveRelay?
    var trials: RelayTrials
    /// After a halt it looks again not before this.
    private var restsUntil: UInt64 = 0
    /// When it left the lead to another, for lack of Kafka.
    var handedOverAt: UInt64 = 0
    /// How often it has done so since Kafka last confirmed a batch of its own, all of it, or it saw
    /// that another had published.
    var fruitlessHandOvers: UInt64 = 0
    /// The number of the next row when it did so last.
    var handedOverIndex: Int64 = 0
    /// What it is doing.
    package internal(set) var status = RelayStatus()

    /// Makes a relay that stands by.
    ///
    /// A cluster that does not have the log gets it from `replayStart` on: 0, or a number that its
    /// readers already have from a snapshot.
    package init(
        log: Log,
        publisher: Publisher,
        clock: any RelayClock,
        replayStart: Int64 = 0,
        observer: (any RelayObserver)? = nil
    ) {
        self.log = log
        self.publisher = publisher
        self.clock = clock
        self.replayStart = replayStart
        trials = RelayTrials(at: clock.nanoseconds)
        self.observer = observer
    }

    /// The process is fenced: another relay is active, and this one must end (exit 75).
    package struct Fenced: Error, Hashable, Sendable {}

    /// Does the next thing.
    package mutating func turn() async throws(Fenced) {
        do throws(RelayTrouble) {
            if clock.nanoseconds < restsUntil {
                await clock.pause(.seconds(1))
            } else if status.isWithoutKafka {
                try await awaitKafka()
            } else if active == nil {
                try await standBy()
            } else {
                try await work()
            }
        } catch {
            try await cope(with: error)
        }
        report()
    }

    /// Gives up what is on its way, then the lead, so that another can take it at once.
    package mutating func end() async {
        active = nil
        // Before the lead goes: nothing of it is sent once another has the lead, but for what the
        // network carries already (decision 0197). Where PostgreSQL has taken the lead it may be
        // late, and is all the more needed: a producer tries for ever.
        await publisher.renew()
        await log.resign()
        report()
    }

    // MARK: - Standing by

    private mutating func standBy() async throws(RelayTrouble) {
        let term: RelayTerm?
        do { term = try await log.lead() } catch { throw .log(error) }
        if let term {
            active = ActiveRelay(term, at: clock.nanoseconds)
            // Another has published since: that helped.
            if term.cursor.nextIndex > handedOverIndex { fruitlessHandOvers = 0 }
            await publisher.renew()
            return
        }
        status.role = .standby
        trials.stoodBy(at: clock.nanoseconds)
        do { _ = try await log.deposeHolder(silentFor: Self.silenceMax) } catch {
            throw .log(error)
        }
        // It may have to take over: by a wrong clock it could say nothing.
        _ = try await fence()
        await clock.pause(.seconds(1))
    }

    // MARK: - Trouble

    private mutating func cope(with trouble: RelayTrouble) async throws(Fenced) {
        switch trouble {
        case .log(.fenced):
            await end()
            throw Fenced()
        case .log(.unavailable):
            status.role = .standby
            await rest(afterTerm: active != nil)
        case .log(.unreadable(let reason)): await halt(.unreadable(reason))
        case .publisher(.unavailable): await clock.pause(.milliseconds(200))
        case .publisher(.broken):
            // The cursor has not moved: the same rows get the same numbers again.
            let wasAsking = active?.flights.isEmpty ?? true
            active?.abandonFlights()
            await publisher.renew()
            // A question that broke may do so again at once, as while partitions get their leaders.
            if wasAsking { await clock.pause(.milliseconds(200)) }
        case .publisher(.refused(let reason)): await halt(.refused(reason))
        case .kafkaSilent: await handOver()
        case .halt(let halt): await self.halt(halt)
        }
    }

    /// A database that is away is asked each second; one that takes the lead and nothing else, as
    /// on a full disk, more and more seldom.
    private mutating func rest(afterTerm hadTerm: Bool) async {
        await end()
        guard hadTerm else { return await clock.pause(.seconds(1)) }
        status.failedTermCount += 1
        restsUntil = clock.nanoseconds + trials.failed() * 1_000_000_000
    }

    /// Rows on their way now: after a term that failed, few, since they may have to go again.
    var rowsOnTheirWayMax: Int {
        let hasFailed = trials.failures > 0 || fruitlessHandOvers > 0
        return hasFailed ? LogRow.batchMax : Self.rowsOnTheirWayMax
    }

    /// Leaves the lead to another, perhaps newer, program; looks again later.
    private mutating func halt(_ halt: RelayHalt) async {
        status.role = .halted(halt)
        // Not here: whoever turns it must hear of the halt at once.
        restsUntil = clock.nanoseconds + 10_000_000_000
        await end()
    }

    private mutating func report() {
        guard let active else {
            status.isReplaying = false
            let silent = trials.silenceMilliseconds(at: clock.nanoseconds)
            // Whether another publishes is not known to one that does not ask for the lead.
            status.lagMilliseconds = trials.failures > 0 || status.isWithoutKafka ? silent : 0
            status.fenceAgeMilliseconds = status.isWithoutKafka ? silent : 0
            return
        }
        let isHalted = if case .halted = status.role { true } else { false }
        // Until it has come past what halted it.
        if active.isSound || !isHalted { status.role = .active }
        status.nextIndex = active.cursor.nextIndex
        status.completeThrough = active.sampling.completeThrough
        if case .replaying = active.phase {
            status.isReplaying = true
        } else {
            status.isReplaying = false
        }
        let now = active.now(clock.nanoseconds)
        let silent = trials.silenceMilliseconds(at: clock.nanoseconds)
        status.lagMilliseconds =
            active.flights.first.map { now.millisecondsSince($0.oldest) } ?? silent
        status.fenceAgeMilliseconds =
            active.sampling.closedAt.map { now.millisecondsSince($0) } ?? silent
    }
}
