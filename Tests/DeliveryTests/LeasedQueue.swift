import Domain
import Issuing
import Runtime

/// A queue whose leases are over when a test says so; a second of a delay is a millisecond.
final class LeasedQueue: MailQueue {
    private struct Row {
        var name: String
        var mail: DueMail
        var isLeased = false
        var dueAt = MonotonicInstant.now()
    }

    private struct State {
        var rows: [Row] = []
        var released: [[String]] = []
        var waits: [Int] = []
        var isRemovalFailing = false
        var delay: (@Sendable () async -> Void)?
    }

    private let state = Guarded(State())

    var isEmpty: Bool { state.withLock { $0.rows.isEmpty } }
    var names: [String] { state.withLock { $0.rows.map(\.name) } }
    /// Whose mails are leased.
    var held: [String] { state.withLock { $0.rows.filter(\.isLeased).map(\.name) } }
    /// Whose mails were given back, call by call.
    var released: [[String]] { state.withLock { $0.released } }
    /// The delays after attempts, in seconds.
    var waits: [Int] { state.withLock { $0.waits } }

    func add(_ mail: DueMail, for name: String) {
        state.withLock { $0.rows.append(Row(name: name, mail: mail)) }
    }

    /// From now on a lease waits for this first.
    func delayLeases(_ delay: @escaping @Sendable () async -> Void) {
        state.withLock { $0.delay = delay }
    }

    func failNextRemoval() { state.withLock { $0.isRemovalFailing = true } }

    func endLeases() {
        state.withLock { state in
            for index in state.rows.indices { state.rows[index].isLeased = false }
        }
    }

    func enqueue(_ occasion: MailOccasion, project: ProjectNumber, by deadline: Deadline)
        async throws(StoreError)
    {}

    func lease(limit: Int, by deadline: Deadline) async throws(StoreError) -> [DueMail] {
        let delay = state.withLock { $0.delay }
        await delay?()
        let now = MonotonicInstant.now()
        return state.withLock { state in
            var leased: [DueMail] = []
            for index in state.rows.indices where leased.count < limit {
                guard !state.rows[index].isLeased, state.rows[index].dueAt <= now else { continue }
                state.rows[index].isLeased = true
                leased.append(state.rows[index].mail)
            }
            return leased
        }
    }

    func remove(_ mail: DueMail, afterSending: Bool, by deadline: Deadline)
        async throws(StoreError)
    {
        let fails = state.withLock { state in
            defer { state.isRemovalFailing = false }
            if !state.isRemovalFailing {
                state.rows.removeAll { $0.mail.occasion == mail.occasion }
            }
            return state.isRemovalFailing
        }
        if fails { throw .unavailable }
    }

    func release(_ mails: [DueMail], by deadline: Deadline) async throws(StoreError) {
        state.withLock { state in
            var names: [String] = []
            for index in state.rows.indices where mails.contains(state.rows[index].mail) {
                state.rows[index].isLeased = false
                names.append(state.rows[index].name)
            }
            state.released.append(names)
        }
    }

    func postpone(
        _ mail: DueMail,
        seconds: Int,
        afterAttempt: Bool,
        by deadline: Deadline
    ) async throws(StoreError) {
        state.withLock { state in
            guard let index = state.rows.firstIndex(where: { $0.mail == mail }) else { return }
            state.rows[index].isLeased = false
            state.rows[index].dueAt = .now().advanced(by: .milliseconds(seconds))
            guard afterAttempt else { return }
            state.rows[index].mail.attempts += 1
            state.waits.append(seconds)
        }
    }
}
