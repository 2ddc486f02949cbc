import Domain
import InMemory
import Issuing
import Runtime
import TestSupport
import Testing

/// A monotonic clock that passes by what is waited for.
final class PassingTime: Pause {
    private let passed = Guarded<UInt64>(0)

    func wait(milliseconds: Int) async { pass(milliseconds: milliseconds) }

    func pass(milliseconds: Int) { passed.withLock { $0 += UInt64(milliseconds) * 1_000_000 } }

    func deadline(inMilliseconds milliseconds: Int) -> Deadline {
        Deadline(nanoseconds: passed.current + UInt64(milliseconds) * 1_000_000)
    }
}

/// One end may take all of the time it gets, and again the next time; what is behind it must not
/// pay for that (decision 0098).
@Suite("Ends that take their time") struct SlowEndingsTests {
    /// Takes its time with the data of some, once, and gives up at the deadline.
    private struct SlowData: PersonalData {
        let time: PassingTime
        let milliseconds: [SubjectID: Int]
        let destroyed = InMemoryPersonalData()

        func destroy(of subject: SubjectID, by deadline: Deadline) async throws(StoreError) {
            let isDone = destroyed.destroyed.contains(subject)
            let needed = isDone ? 0 : milliseconds[subject] ?? 0
            let now = time.deadline(inMilliseconds: 0)
            let left = Int((max(deadline, now).nanoseconds - now.nanoseconds) / 1_000_000)
            await time.wait(milliseconds: min(left, needed))
            guard needed <= left else { throw .unavailable }
            try await destroyed.destroy(of: subject, by: deadline)
        }
    }

    /// Erased users, each of whose ends takes so many milliseconds.
    private struct Erased {
        let subjects: [SubjectID]
        let finish: FinishEndings
        private let time = PassingTime()
        private let data: SlowData

        init(_ milliseconds: [Int], over log: (InMemoryEventStore) -> any EndingLog) async throws {
            let web = try await WebSide()
            var subjects: [SubjectID] = []
            for _ in milliseconds {
                let subject = try await web.somebodyElse()
                try await web.side.run(Subject.self, subject.stream) { .erase }
                subjects.append(subject)
            }
            self.subjects = subjects
            let needed = Dictionary(uniqueKeysWithValues: zip(subjects, milliseconds))
            data = SlowData(time: time, milliseconds: needed)
            finish = FinishEndings(
                log(web.side.store),
                commands: web.side.commands,
                personalData: data,
                pause: time
            )
        }

        init(_ milliseconds: [Int]) async throws {
            try await self.init(milliseconds) { InMemoryEndingLog($0) }
        }

        /// A pass as the process makes it, at a server that is there until `change`.
        func pass(until change: Deadline = Deadline(nanoseconds: .max))
            async -> FinishEndings.Outcome
        {
            await finish.run(
                by: time.deadline(inMilliseconds: 25_000),
                endsBy: time.deadline(inMilliseconds: 20_000),
                isCurrent: { time.deadline(inMilliseconds: 0) < change }
            )
        }

        /// The places of those whose data is gone.
        var done: Set<Int> {
            Set(data.destroyed.destroyed.compactMap { subjects.firstIndex(of: $0) })
        }

        func places(_ waiting: [FinishEndings.Outcome.Waiting]) -> [Int] {
            waiting.compactMap { end in subjects.firstIndex { $0.stream == end.stream } }
        }
    }

    private static let never = 1_000_000

    @Test("one that takes all it gets keeps none from its turn, and alone is named")
    func sleeping() async throws {
        let erased = try await Erased([Self.never] + Array(repeating: 50, count: 99))
        let outcome = await erased.pass()
        #expect(erased.done == Set(1..<100))
        #expect(erased.places(outcome.waiting) == [0])
        #expect(outcome.waiting.map(\.error) == [.unavailable])
        #expect(outcome.endingCount == 0)
    }

    @Test("what needs longer than its turn gets it when all have had theirs") func longer()
        async throws
    {
        let erased = try await Erased([15_000, 50, 50])
        let outcome = await erased.pass()
        #expect(erased.done == [0, 1, 2])
        #expect(outcome.waiting.isEmpty)
        #expect(outcome.endingCount == 3)
    }

    @Test("all come again when the server changes before the slow one's second turn")
    func otherServer() async throws {
        let erased = try await Erased([15_000, 50, 50])
        // The first turn is one second.
        let outcome = await erased.pass(until: Deadline(nanoseconds: 1_050_000_000))
        #expect(erased.done == [0, 1, 2])
        #expect(outcome.endingCount == 0)
        #expect(await erased.pass().endingCount == 3)
    }

    @Test("of several slow ones the first leaves time to the next") func several() async throws {
        let erased = try await Erased([Self.never, 4_000, 8_000, 50])
        let outcome = await erased.pass()
        #expect(erased.done == [1, 3])
        #expect(erased.places(outcome.waiting) == [0, 2])
        #expect(outcome.endingCount == 0)
    }

    @Test("none that had no turn is named, and all of them come again") func untouched()
        async throws
    {
        // Half of the time is kept for the slow ones.
        let erased = try await Erased(Array(repeating: Self.never, count: 12) + [50])
        let outcome = await erased.pass()
        #expect(erased.places(outcome.waiting) == Array(0..<10))
        #expect(erased.done.isEmpty)
        #expect(outcome.endingCount == 0)
    }

    @Test("when all are slow some are done with every pass") func allSlow() async throws {
        let erased = try await Erased(Array(repeating: 1_200, count: 30))
        var passes = 0
        while erased.done.count < 30, passes < 30 {
            #expect(await erased.pass().endingCount > 0)
            passes += 1
        }
        #expect(erased.done.count == 30)
    }

    /// A log that breaks when it is told how far they are.
    private struct BreakingLog: EndingLog {
        let log: InMemoryEndingLog

        func nextDue(
            by deadline: Deadline,
            _ body: ([RecordedEnding]) async -> Int
        ) async throws(StoreError) -> Int {
            _ = try await log.nextDue(by: deadline, body)
            throw .outcomeUnknown
        }
    }

    @Test("what was done is told, also when it could not be noted") func notNoted() async throws {
        let erased = try await Erased([50, Self.never]) { BreakingLog(log: InMemoryEndingLog($0)) }
        let outcome = await erased.pass()
        #expect(erased.done == [0])
        #expect(outcome.endingCount == 0)
        #expect(erased.places(outcome.waiting) == [1])
        #expect(outcome.failure == .outcomeUnknown)
    }
}
