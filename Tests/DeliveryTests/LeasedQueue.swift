import Domain
import Issuing
import Runtime

/// A queue whose leases are over when a test says so; a second of a delay is a millisecond.
final class LeasedQueue: MailQueue {
    private struct Row {
        var name: String
        var mail: DueMail
        /// What the newest holder's mail says, also when that lease is over; nil: it is nobody's.
        var lease: Instant?
        var isOver = false
        var dueAt = MonotonicInstant.now()

        var isHeld: Bool { lease != nil && !isOver }

        /// Whether nobody else was given it since.
        func isLeased(as held: DueMail) -> Bool {
            mail.occasion == held.occasion && lease == held.leasedUntil
        }
    }

    private struct State {
        var rows: [Row] = []
        var leases: Int64 = 0
        var released: [[String]] = []
        var waits: [Int] = []
        var isRemovalFailing = false
        var delay: (@Sendable () async -> Void)?

        /// No two leases are the same.
        mutating func lease(_ index: Int) -> DueMail {
            leases += 1
            let lease = Instant(seconds: leases)
            rows[index].lease = lease
            rows[index].isOver = false
            var mail = rows[index].mail
            mail.leasedUntil = lease
            return mail
        }
    }

    private let state = Guarded(State())

    var isEmpty: Bool { state.withLock { $0.rows.isEmpty } }
    var names: [String] { state.withLock { $0.rows.map(\.name) } }
    /// Whose mails are leased.
    var held: [String] { state.withLock { $0.rows.filter(\.isHeld).map(\.name) } }
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
            for index in state.rows.indices { state.rows[index].isOver = true }
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
                guard !state.rows[index].isHeld, state.rows[index].dueAt <= now else { continue }
                leased.append(state.lease(index))
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
                state.rows.removeAll { row in
                    afterSending ? row.mail.occasion == mail.occasion : row.isLeased(as: mail)
                }
            }
            return state.isRemovalFailing
        }
        if fails { throw .unavailable }
    }

    func release(_ mails: [DueMail], by deadline: Deadline) async throws(StoreError) {
        state.withLock { state in
            var names: [String] = []
            for index in state.rows.indices {
                let row = state.rows[index]
                guard mails.contains(where: { row.isLeased(as: $0) }) else { continue }
                state.rows[index].lease = nil
                names.append(row.name)
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
            guard let index = state.rows.firstIndex(where: { $0.isLeased(as: mail) }) else {
                return
            }
            state.rows[index].lease = nil
            state.rows[index].dueAt = .now().advanced(by: .milliseconds(seconds))
            guard afterAttempt else { return }
            state.rows[index].mail.attempts += 1
            state.waits.append(seconds)
        }
    }
}
