package import Runtime

/// Tells why an append lane refuses commands: once when it begins, once when it is over.
///
/// A refusal by itself says only that a lane is behind. What it waits for decides what an operator
/// does: PostgreSQL late with a call, this process without CPU, or more commands than calls carry.
package struct LaneWatch {
    /// What a lane that refuses waits for.
    package enum Cause: Hashable, Sendable {
        /// A call that PostgreSQL has not answered.
        case call
        /// What became of a call whose answer was lost.
        case lookup
        /// Nothing: its loop stood still, and answers may be waiting for it.
        case standstill
        /// Its turn: calls are answered, more slowly than commands arrive.
        case turn
    }

    /// What the lane does.
    package enum Phase: Hashable, Sendable { case resting, calling, lookingUp }

    /// How a lane stands when it refuses.
    package struct Standing: Hashable, Sendable {
        /// How long the oldest command has waited.
        var behind: Duration
        /// Commands that wait.
        var waiting: Int
        /// Commands in the call under way.
        var inCall: Int

        /// Puts it together.
        package init(behind: Duration, waiting: Int, inCall: Int) {
            self.behind = behind
            self.waiting = waiting
            self.inCall = inCall
        }
    }

    /// An episode is over after so long without a refusal.
    package static let quietMin = Duration.seconds(5)
    /// A lane that is busy is looked at every 100 ms; what is longer by this, its loop stood still.
    package static let standstillMin = Duration.milliseconds(150)
    /// A standing still explains what is refused within this time after it.
    private static let standstillCounts = Duration.seconds(1)

    private let log: Log
    private var phase = Phase.resting
    private var phaseBegan = MonotonicInstant.now()
    private var lookedAt: MonotonicInstant?
    private var standstill: (length: Duration, end: MonotonicInstant)?
    private var episode: (begin: MonotonicInstant, last: MonotonicInstant, count: Int)?

    /// A lane that rests.
    package init(log: Log) { self.log = log }

    /// Whether an episode is under way: somebody has to ask `looks` until it is over.
    package var isRefusing: Bool { episode != nil }

    /// Notes that a busy lane is looked at; ends an episode that is over.
    ///
    /// - Returns: how many commands were refused in an episode that has ended.
    @discardableResult
    package mutating func looks(at now: MonotonicInstant) -> Int? {
        if let lookedAt, now.since(lookedAt) > Self.standstillMin {
            standstill = (now.since(lookedAt), now)
        }
        lookedAt = now
        guard let ended = episode, now.since(ended.last) >= Self.quietMin else { return nil }
        episode = nil
        log.notice(
            "appends are taken again",
            .field("refused", ended.count),
            .field("lasted_ms", ended.last.since(ended.begin))
        )
        return ended.count
    }

    /// Notes that the lane has nothing to do: nobody looks at it any more.
    package mutating func rests() { lookedAt = nil }

    /// Notes what the lane does from `now` on.
    package mutating func enters(_ phase: Phase, at now: MonotonicInstant) {
        self.phase = phase
        phaseBegan = now
    }

    /// Notes a refusal; says why when it is the first of an episode.
    ///
    /// - Returns: the cause that was told; nil within an episode.
    @discardableResult
    package mutating func refuses(_ standing: Standing, at now: MonotonicInstant) -> Cause? {
        if let known = episode {
            episode = (known.begin, now, known.count + 1)
            return nil
        }
        episode = (now, now, 1)
        let cause = cause(of: standing, at: now)
        tell(cause, standing, at: now)
        return cause
    }

    private func cause(of standing: Standing, at now: MonotonicInstant) -> Cause {
        let half = standing.behind / 2
        if stoodStill(before: now) > half { return .standstill }
        switch phase {
        case .lookingUp: return .lookup
        case .calling where now.since(phaseBegan) > half: return .call
        case .calling, .resting: return .turn
        }
    }

    private func stoodStill(before now: MonotonicInstant) -> Duration {
        guard let standstill, now.since(standstill.end) < Self.standstillCounts else {
            return .zero
        }
        return standstill.length
    }

    private func tell(_ cause: Cause, _ standing: Standing, at now: MonotonicInstant) {
        let (message, next) = Self.words(for: cause)
        log.warning(
            message,
            .field("behind_ms", standing.behind),
            .field("waiting", standing.waiting),
            .field("in_call", standing.inCall),
            .field("call_ms", phase == .resting ? .zero : now.since(phaseBegan)),
            .field("stood_still_ms", stoodStill(before: now)),
            .field("next", next)
        )
    }

    private static func words(for cause: Cause) -> (StaticString, String) {
        switch cause {
        case .call:
            (
                "appends are refused: PostgreSQL has not answered a call",
                "look for checkpoints, slow disk flushes and locks: its log, pg_stat_activity"
            )
        case .lookup:
            (
                "appends are refused: the answer of a call was lost and is looked up",
                "look at PostgreSQL and the network to it"
            )
        case .standstill:
            (
                "appends are refused: this process stood still",
                "look at what else uses its CPU, at its limits and at steal time"
            )
        case .turn:
            (
                "appends are refused: commands arrive faster than calls are answered",
                "compare chancery_append_seconds with the rate; add CPU, or let fewer in"
            )
        }
    }
}
