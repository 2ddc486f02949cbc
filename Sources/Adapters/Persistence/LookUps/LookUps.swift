internal import Domain
internal import Issuing
internal import Runtime

/// Look-ups of one kind, as `LookUps` sees them.
protocol WaitingLine: AnyObject, Sendable {
    /// Whether none waits for a query.
    var isEmpty: Bool { get }
    /// Takes from those that wait, oldest first, what fits one query.
    func take() -> LookUps.Query
    /// Answers those whose time is up; how many streams those of them had that waited.
    func expire(at now: MonotonicInstant) -> Int
}

// @unchecked: touched on `loop` alone; each entry checks.
/// The look-ups of one loop; what a turn asks for goes out in one query, 64 streams at a time.
///
/// Few queries are under way at once: behind a slow server what is asked for gathers here, and goes
/// out together, instead of filling the connection, which refuses what is too much. What is asked
/// for after a query went out never joins it: an answer is not older than its question.
final class LookUps: @unchecked Sendable {
    /// Streams in one query; as many may ask for them.
    static let streamsPerQueryMax = 64
    /// Queries under way at once, far below `Connection.pendingMax`: others use it, too, and what
    /// was given up at its deadline is still the server's to answer.
    static let queriesMax = 8
    /// Streams that may be waited for on one loop.
    static let waitingMax = 1024

    private static let sweepInterval = Duration.milliseconds(50)

    struct Query: Sendable {
        /// Streams its look-ups named, each as often as it was.
        let weight: Int
        let run: @Sendable () async -> Void
    }

    let loop: Loop
    /// Whose turn it is comes first.
    private var lines: [any WaitingLine]
    private var waitingCount = 0
    private var queryCount = 0
    private var isScheduled = false
    private var sweep: LoopTimer?

    init(_ lines: [any WaitingLine], on loop: Loop) {
        self.lines = lines
        self.loop = loop
    }

    /// - Throws: `.unavailable` at the deadline, when the query fails, or when too many wait.
    func answer<Question: LookUp>(
        to question: Question,
        in line: LookUpLine<Question>,
        by deadline: Deadline
    ) async throws(StoreError) -> Question.Answer {
        loop.assertCurrent()
        // An answer may be there before the timer that would refuse it.
        guard loop.now < MonotonicInstant(deadline) else { throw .unavailable }
        let outcome: Waiter<Question>.Outcome = await loop.park { waiting in
            let waiter = Waiter(question, by: deadline, waiting)
            guard admit(question.streams.count) else {
                return waiter.answer(.failure(.unavailable))
            }
            line.join(waiter)
        }
        return try outcome.get()
    }

    private func admit(_ count: Int) -> Bool {
        guard count <= Self.streamsPerQueryMax, waitingCount + count <= Self.waitingMax else {
            return false
        }
        waitingCount += count
        guard !isScheduled else { return true }
        isScheduled = true
        loop.atEndOfTurn { [self] in sendTurn() }
        return true
    }

    private func sendTurn() {
        isScheduled = false
        while queryCount < Self.queriesMax, let next = lines.firstIndex(where: { !$0.isEmpty }) {
            let line = lines.remove(at: next)
            // In turns, so that no kind keeps another waiting.
            lines.append(line)
            begin(line.take())
        }
        watchOver()
    }

    private func begin(_ query: Query) {
        queryCount += 1
        loop.spawn { [self] in
            await query.run()
            queryCount -= 1
            waitingCount -= query.weight
            if !isScheduled { sendTurn() }
        }
    }

    /// A query ends at the latest deadline of those that wait for it.
    private func watchOver() {
        guard sweep == nil, waitingCount > 0 else { return }
        sweep = loop.schedule(at: loop.now.advanced(by: Self.sweepInterval)) { [self] in
            sweep = nil
            for line in lines { waitingCount -= line.expire(at: loop.now) }
            watchOver()
        }
    }
}
