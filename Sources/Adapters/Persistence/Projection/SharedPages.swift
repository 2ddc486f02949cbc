internal import Domain
internal import Publishing
internal import Runtime

// @unchecked: touched on its loop alone; each entry checks.
/// Reads a page of the feed once for all who ask for it together (decision 0250).
///
/// Who comes while it is being read shares the next reading: a page from before a question may be
/// older than one that another process has shown to whoever asks. Nothing is kept.
final class SharedPages: @unchecked Sendable {
    /// What is asked for; whoever asks for the same may share the answer.
    struct Question: Hashable, Sendable {
        /// Whether somebody may read a project is settled before: none of its readers sees more
        /// than another.
        let project: ProjectNumber
        let after: FeedPlace?
        let limit: Int
    }

    /// Who asks, until there is an answer or the time is over.
    private final class Reader {
        let deadline: MonotonicInstant
        private let turn: Resumption<RevocationPage?>
        var timer: LoopTimer?

        init(_ turn: Resumption<RevocationPage?>, by deadline: MonotonicInstant) {
            self.turn = turn
            self.deadline = deadline
        }

        func resume(_ page: RevocationPage?) {
            timer?.cancel()
            turn.resume(returning: page)
        }
    }

    /// One that has not begun: who asks the same joins it.
    private final class Reading {
        var readers: [Reader] = []

        /// Of whoever has most time left.
        var deadline: MonotonicInstant? { readers.map(\.deadline).max() }

        /// Those whose time is over hear that there is no page.
        func dismiss(at now: MonotonicInstant) {
            let late = readers.filter { $0.deadline <= now }
            readers.removeAll { $0.deadline <= now }
            for reader in late { reader.resume(nil) }
        }
    }

    /// So many are answered in one turn of the loop: a page may be 300 KiB to write.
    private static let answersPerTurnMax = 32

    private let loop: Loop
    private let line: AskingLine
    private let read: @Sendable (Question, MonotonicInstant) async -> RevocationPage?
    private var next: [Question: Reading] = [:]
    /// Those of which one reading is under way or about to be.
    private var served: Set<Question> = []

    /// All readers are on `loop`, and so is the line in which they wait for the database; `read`
    /// asks it, by a deadline.
    init(
        on loop: Loop,
        through line: AskingLine,
        _ read: @escaping @Sendable (Question, MonotonicInstant) async -> RevocationPage?
    ) {
        self.loop = loop
        self.line = line
        self.read = read
    }

    /// The page as it is from now on; nil when it cannot be read.
    ///
    /// A task that is cancelled waits all the same, and takes nobody's answer away.
    func page(_ question: Question, by deadline: MonotonicInstant) async -> RevocationPage? {
        loop.assertCurrent()
        return await loop.park { (turn: Resumption<RevocationPage?>) in
            let reading = next[question] ?? prepare(question)
            let reader = Reader(turn, by: deadline)
            reading.readers.append(reader)
            reader.timer = loop.schedule(at: deadline) {
                reading.dismiss(at: max(deadline, .now()))
            }
        }
    }

    private func prepare(_ question: Question) -> Reading {
        let reading = Reading()
        next[question] = reading
        if served.insert(question).inserted {
            // Those whom one bell wakes ask in one turn.
            loop.atEndOfTurn { [self] in loop.spawn { [self] in await serve(question) } }
        }
        return reading
    }

    /// One reading after the other, while anybody asks: who comes meanwhile is gathered.
    private func serve(_ question: Question) async {
        while let reading = next[question] {
            reading.dismiss(at: .now())
            guard let limit = reading.deadline else {
                next[question] = nil
                continue
            }
            let page: RevocationPage? = await line.ask(by: limit) {
                // From here on it would be older than a question.
                next[question] = nil
                return await read(question, reading.deadline ?? limit)
            }
            // Nobody was asked where the line was too long: who came meanwhile has time left.
            guard next[question] !== reading else { continue }
            await answer(reading, page)
        }
        served.remove(question)
    }

    private func answer(_ reading: Reading, _ page: RevocationPage?) async {
        // Out of it, so that nobody's time ends while those before are answered.
        let readers = reading.readers
        reading.readers = []
        for (place, reader) in readers.enumerated() {
            if place > 0, place.isMultiple(of: Self.answersPerTurnMax) { await loop.nextTurn() }
            reader.resume(page)
        }
    }
}
