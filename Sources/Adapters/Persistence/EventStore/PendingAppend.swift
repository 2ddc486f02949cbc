internal import Issuing
internal import Runtime

// @unchecked: touched on the lane's loop alone; `resume` may be called from any thread, once.
/// A command that waits for its place in an append call, then for the outcome.
final class PendingAppend: @unchecked Sendable {
    typealias Outcome = Result<Void, StoreError>

    let command: EncodedCommand
    /// Which of the servers its versions were read from.
    let server: Int
    let priority: CommandRequest.Priority
    let deadline: MonotonicInstant
    let arrival: MonotonicInstant
    /// An earlier call with it was lost: a refusal may mean that it is in already.
    var isUncertain = false
    var attempts = 0
    /// Somebody was told that it waits for a lock.
    var isBlocked = false
    private var resume: ((Outcome) -> Void)?

    init(
        _ command: EncodedCommand,
        from server: Int,
        priority: CommandRequest.Priority,
        arrival: MonotonicInstant,
        deadline: MonotonicInstant,
        resume: @escaping (Outcome) -> Void
    ) {
        self.command = command
        self.server = server
        self.priority = priority
        self.arrival = arrival
        self.deadline = deadline
        self.resume = resume
    }

    var isFinished: Bool { resume == nil }

    /// What to say when it cannot be sent (again): an earlier call may have taken it.
    var doubt: StoreError { isUncertain ? .outcomeUnknown : .unavailable }

    /// Why it is not sent at this time, to this server; nil: it is.
    func refusal(at now: MonotonicInstant, _ server: Int) -> StoreError? {
        // Whoever asked is told by then that nothing is known of it.
        guard now < deadline else { return doubt }
        guard now.since(arrival) <= AppendLane.staleAfter else { return doubt }
        guard self.server == server else { return isUncertain ? doubt : .conflict }
        return nil
    }

    /// Tells the outcome; only the first one counts.
    func finish(_ outcome: Outcome) {
        resume?(outcome)
        resume = nil
    }
}

extension CommandRequest.Priority {
    /// Whether a command may come in behind one that has waited for `behind`, `waiting` in all.
    func isTaken(behind: Duration, among waiting: Int) -> Bool {
        let most = AppendLane.waitingMax
        return switch self {
        case .starting: behind <= AppendLane.ageMax / 2 && waiting < most / 10 * 8
        case .usual: behind <= AppendLane.ageMax && waiting < most / 10 * 9
        case .ending: behind <= AppendLane.staleAfter && waiting < most
        }
    }
}
