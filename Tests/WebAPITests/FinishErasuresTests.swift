import Domain
import InMemory
import Issuing
import Runtime
import TestSupport
import Testing

/// Whatever cannot be read, no erasure is passed before its keys are gone (decision 0227).
@Suite("An erasure that others finish") struct FinishErasuresTests {
    /// Fails as each call is told to, and destroys otherwise.
    private struct FailingData: PersonalData {
        let failures: Guarded<[StoreError?]>
        let data = InMemoryPersonalData()

        init(_ failures: [StoreError?] = []) { self.failures = Guarded(failures) }

        func destroy(of subject: SubjectID, by deadline: Deadline) async throws(StoreError) {
            let failure: StoreError? = failures.withLock { failures in
                failures.isEmpty ? nil : failures.removeFirst()
            }
            if let failure { throw failure }
            try await data.destroy(of: subject, by: deadline)
        }
    }

    /// Does not note how far a pass came.
    private struct ForgetfulLog: EndingLog {
        let log: InMemoryEndingLog
        let error: StoreError

        func nextDue(by deadline: Deadline, _ body: ([RecordedEnding]) async -> Int)
            async throws(StoreError) -> Int
        {
            _ = try await log.nextDue(by: deadline) { page in
                _ = await body(page)
                return 0
            }
            throw error
        }
    }

    private func finish(_ side: TokenSide, _ data: FailingData, of log: (any EndingLog)? = nil)
        -> FinishEndings
    {
        FinishEndings(
            log ?? InMemoryEndingLog(side.store),
            commands: side.commands,
            personalData: data,
            pause: PassingTime()
        )
    }

    /// The stand-in's user, erased by a process that died, and who follows the ends.
    private func erased(_ data: FailingData) async throws -> (TokenSide, FinishEndings) {
        let side = try await WebSide().side
        try await side.run(Subject.self, side.subject.stream) { .erase }
        return (side, finish(side, data))
    }

    @Test("destroys the keys of a user who cannot be read, and is not called complete")
    func unreadable() async throws {
        let data = FailingData()
        let (side, finish) = try await erased(data)
        side.store.spoil(side.subject.stream)
        let outcome = await finish.run(by: Fixture.noDeadline)
        #expect(data.data.destroyed == [side.subject])
        #expect(outcome.unreadable == [side.subject.stream])
        #expect(outcome.endingCount == 1 && outcome.erased.isEmpty)
    }

    @Test("comes again while its keys cannot be destroyed, whatever the reason", arguments: 0..<2)
    func waits(_ number: Int) async throws {
        let user = Sample.stream(1)
        let reasons: [StoreError] = [.unavailable, .corrupt(user, version: 1)]
        let data = FailingData([reasons[number]])
        let (side, finish) = try await erased(data)
        // There is nothing else of it that could be done.
        side.store.spoil(side.subject.stream)
        let early = await finish.run(by: Fixture.noDeadline)
        #expect(early.endingCount == 0 && data.data.destroyed.isEmpty)
        #expect(early.waiting.map(\.stream) == [side.subject.stream])
        let outcome = await finish.run(by: Fixture.noDeadline)
        #expect(outcome.endingCount == 1 && outcome.waiting.isEmpty)
        #expect(data.data.destroyed == [side.subject])
    }

    @Test("is called complete once, when all of it is done") func complete() async throws {
        let data = FailingData([.unavailable])
        let (side, finish) = try await erased(data)
        #expect(await finish.run(by: Fixture.noDeadline).erased.isEmpty)
        #expect(await finish.run(by: Fixture.noDeadline).erased == [side.subject.stream])
        #expect(await finish.run(by: Fixture.noDeadline).erased.isEmpty)
    }

    @Test("is called complete once, also behind an end that comes again") func behind()
        async throws
    {
        let web = try await WebSide()
        let users = [web.side.subject, try await web.somebodyElse()]
        for user in users {
            try await web.side.run(Subject.self, user.stream) { .erase }
        }
        // Of the first alone: a pass destroys the other's twice.
        let data = FailingData([.unavailable, nil, nil, .unavailable, nil, nil])
        let finish = finish(web.side, data)
        var named: [[StreamID]] = []
        for _ in 0..<4 { named.append(await finish.run(by: Fixture.noDeadline).erased) }
        #expect(named == [[], [], users.map(\.stream), []])
    }

    @Test(
        "is not called complete by a pass that comes again, and is by one that may not",
        arguments: [true, false]
    )
    func unnoted(_ mayBeNoted: Bool) async throws {
        let (side, _) = try await erased(FailingData())
        let log = ForgetfulLog(
            log: InMemoryEndingLog(side.store),
            error: mayBeNoted ? .outcomeUnknown : .unavailable
        )
        let outcome = await finish(side, FailingData(), of: log).run(by: Fixture.noDeadline)
        #expect(outcome.endingCount == 0 && outcome.failure == log.error)
        #expect(outcome.erased == (mayBeNoted ? [side.subject.stream] : []))
    }

    @Test("is not called complete at a server that is another by then") func otherServer()
        async throws
    {
        let (_, finish) = try await erased(FailingData())
        let outcome = await finish.run(by: Fixture.noDeadline, isCurrent: { false })
        #expect(outcome.endingCount == 0 && outcome.erased.isEmpty)
    }
}
