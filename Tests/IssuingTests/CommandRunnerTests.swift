import Domain
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing

@Suite("The command runner") struct CommandRunnerTests {
    /// A clock that moves when it is told to, for decisions and for pauses.
    final class MovingClock: WallClock, Pause {
        private let passed = Guarded<UInt64>(0)
        private let doubt = Guarded<String?>(nil)
        private static let birth = Instant(milliseconds: 1_795_232_554_473)

        var now: Instant {
            Instant(microseconds: Self.birth.microseconds + Int64(passed.current / 1000))
        }

        var problem: String? { doubt.current }

        func distrust(_ problem: String?) { doubt.replace(with: problem) }

        func pass(milliseconds: UInt64) { passed.withLock { $0 += milliseconds * 1_000_000 } }

        func wait(milliseconds: Int) async { pass(milliseconds: UInt64(milliseconds)) }

        func deadline(inMilliseconds milliseconds: Int) -> Deadline {
            Deadline(nanoseconds: passed.current + UInt64(milliseconds) * 1_000_000)
        }
    }

    /// As `side`'s, by a clock of its own.
    private static func runner(_ side: TokenSide, by clock: MovingClock) -> CommandRunner {
        CommandRunner(
            store: side.store,
            projects: side.projects,
            clock: clock,
            entropy: side.entropy,
            names: StreamNames(side.digester),
            pause: clock
        )
    }

    /// A process stood still, or its loads were slow: the first decision comes late to the log.
    @Test(
        "decides again when a decision has grown old",
        arguments: [(999, 1), (1000, 1), (1001, 2), (20_000, 2)] as [(UInt64, Int)]
    )
    func grownOld(_ milliseconds: UInt64, decisions: Int) async throws {
        let side = try await TokenSide()
        let clock = MovingClock()
        let commands = Self.runner(side, by: clock)
        let request = CommandRequest(
            project: side.project,
            attributes: EventAttributes(actor: .system),
            deadline: Fixture.noDeadline
        )
        var decided = 0
        let subject = side.subject
        try await commands.run(request, on: subject.stream) {
            (work: inout Work) async throws(CommandError<Subject.Rejection>) in
            decided += 1
            var loaded: Loaded<Subject>
            do throws(StoreError) {
                loaded = try await work.load(Subject.self, subject.stream)
            } catch { throw .store(error) }
            do throws(Subject.Rejection) {
                try work.decide(.disable(.operator), on: &loaded)
            } catch { throw .refused(error) }
            if decided == 1 { clock.pass(milliseconds: milliseconds) }
        }
        #expect(decided == decisions)
        let last = try #require(side.store.allEvents.last { $0.stream == subject.stream })
        #expect(clock.now.millisecondsSince(last.occurredAt) <= 1000)
    }

    @Test("begins no further attempt once its request is over") func over() async throws {
        let side = try await TokenSide()
        let clock = MovingClock()
        let commands = Self.runner(side, by: clock)
        let request = CommandRequest(
            project: side.project,
            attributes: EventAttributes(actor: .system),
            deadline: clock.deadline(inMilliseconds: 1000)
        )
        var decided = 0
        do throws(CommandError<Subject.Rejection>) {
            try await commands.run(request, on: side.subject.stream) {
                (_: inout Work) async throws(CommandError<Subject.Rejection>) in
                decided += 1
                clock.pass(milliseconds: 400)
                if decided < CommandRunner.attemptsMax { throw .store(.conflict) }
            }
            Issue.record("answered")
        } catch {
            guard case .store(.unavailable) = error else { throw error }
        }
        #expect(decided == 3)
    }

    /// What a cache and a snapshot hold must be what a fold of the log comes to.
    @Test("hands on no state whose events are recorded with a later time than it was decided at")
    func movedTime() async throws {
        let side = try await TokenSide()
        let tokens = try await side.redeem(side.code())
        let text = try #require(tokens.refreshToken)
        let session = try #require(RefreshToken(reading: text, digester: side.digester)).session
        let request = CommandRequest(
            project: side.project,
            attributes: EventAttributes(actor: .system),
            deadline: Fixture.noDeadline
        )
        // The session's last event is by a clock ahead of ours.
        side.clock.advance(seconds: 1)
        _ = try await side.refresh(text)
        side.clock.advance(seconds: -1)
        let subject = side.subject
        try await side.commands.run(request, on: subject.stream) {
            (work: inout Work) async throws(CommandError<Subject.Rejection>) in
            do throws(StoreError) {
                var user = try await work.load(Subject.self, subject.stream)
                _ = try? work.decide(.disable(.operator), on: &user)
                var grant = try await work.load(OfflineGrant.self, session.stream)
                _ = try? work.decide(.revoke(.subjectDisabled), on: &grant)
            } catch { throw .store(error) }
        }
        let streams = try #require(side.store.commits.last).streams
        #expect(streams.map(\.stream) == [subject.stream, session.stream])
        #expect(streams.map { $0.stateAfter == nil } == [true, false])
    }

    /// A node that knows its clock to be wrong decides nothing, also when it learns it late.
    @Test("commits nothing once its clock is known to be wrong", arguments: [true, false])
    func wrongClock(knownBefore: Bool) async throws {
        let side = try await TokenSide()
        let clock = MovingClock()
        let commands = Self.runner(side, by: clock)
        let request = CommandRequest(
            project: side.project,
            attributes: EventAttributes(actor: .system),
            deadline: Fixture.noDeadline
        )
        let commits = side.store.commits.count
        if knownBefore { clock.distrust("an hour ahead") }
        let subject = side.subject
        await #expect(throws: CommandError<Subject.Rejection>.self) {
            try await commands.run(request, on: subject.stream) {
                (work: inout Work) async throws(CommandError<Subject.Rejection>) in
                var loaded: Loaded<Subject>
                do throws(StoreError) {
                    loaded = try await work.load(Subject.self, subject.stream)
                } catch { throw .store(error) }
                do throws(Subject.Rejection) {
                    try work.decide(.disable(.operator), on: &loaded)
                } catch { throw .refused(error) }
                clock.distrust("an hour ahead")
            }
        }
        #expect(side.store.commits.count == commits)
    }

    /// What is answered without an append was decided by the same clock.
    @Test("answers nothing either, be it yes or no", arguments: [true, false])
    func wrongAnswer(refuses: Bool) async throws {
        let side = try await TokenSide()
        let clock = MovingClock()
        let commands = Self.runner(side, by: clock)
        let request = CommandRequest(
            project: side.project,
            attributes: EventAttributes(actor: .system),
            deadline: Fixture.noDeadline
        )
        do throws(CommandError<Subject.Rejection>) {
            try await commands.run(request, on: side.subject.stream) {
                (_: inout Work) async throws(CommandError<Subject.Rejection>) in
                clock.distrust("an hour ahead")
                if refuses { throw .refused(.erased) }
            }
            Issue.record("answered")
        } catch {
            if case .store(.unavailable) = error { return }
            Issue.record("\(error)")
        }
    }

    /// A server that is back after a crash shows commits that no standby has (decision 0234).
    @Test(
        "calls nothing done that the log may yet lose; an append sees to itself",
        arguments: [true, false]
    )
    func unconfirmed(isNews: Bool) async throws {
        let side = try await TokenSide()
        let request = CommandRequest(
            project: side.project,
            attributes: EventAttributes(actor: .system),
            deadline: Fixture.noDeadline
        )
        if !isNews { try await Self.disable(side.subject, request, by: side.commands) }
        side.store.isUnconfirmed = true
        do throws(CommandError<Subject.Rejection>) {
            try await Self.disable(side.subject, request, by: side.commands)
            #expect(isNews)
        } catch {
            guard case .store(.unavailable) = error, !isNews else { throw error }
        }
    }

    private static func disable(
        _ subject: SubjectID,
        _ request: CommandRequest,
        by commands: CommandRunner
    ) async throws(CommandError<Subject.Rejection>) {
        try await commands.run(request, on: subject.stream) {
            (work: inout Work) async throws(CommandError<Subject.Rejection>) in
            var loaded: Loaded<Subject>
            do throws(StoreError) {
                loaded = try await work.load(Subject.self, subject.stream)
            } catch { throw .store(error) }
            do throws(Subject.Rejection) {
                try work.decide(.disable(.operator), on: &loaded)
            } catch { throw .refused(error) }
        }
    }
}
