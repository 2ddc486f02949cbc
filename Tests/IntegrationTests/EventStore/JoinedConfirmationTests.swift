import Domain
import Issuing
import Runtime
import TestSupport
import Testing

@testable import Persistence

/// Commits that a test answers, in their order.
private struct AnsweredCommits: Sendable {
    let loop: Loop
    let begun = Guarded(0)
    private let answers = Guarded<[StoreError?]>([])

    /// Nil: it is in.
    func answer(_ error: StoreError?) { answers.withLock { $0.append(error) } }

    func commit() async throws(StoreError) {
        begun.withLock { $0 += 1 }
        while true {
            let found: StoreError?? = answers.withLock { answers in
                answers.isEmpty ? nil : .some(answers.removeFirst())
            }
            if let answer = found {
                if let answer { throw answer }
                return
            }
            await loop.waitOut(until: .after(.milliseconds(1)))
        }
    }
}

/// Those who ask whether what they have seen lasts, over one connection, and what they hear.
private struct Askers: Sendable {
    let commits: AnsweredCommits
    let confirmation: Persistence.Confirmation
    /// True: it does.
    let heard = Guarded<[Bool]>([])

    init(on loop: Loop) {
        let commits = AnsweredCommits(loop: loop)
        self.commits = commits
        confirmation = Persistence.Confirmation(on: loop) {
            (_: Deadline) async throws(StoreError) in
            try await commits.commit()
        }
        confirmation.beginConnection()
    }

    func ask(times count: Int = 1, by deadline: Deadline = .soon) {
        for _ in 0..<count {
            commits.loop.spawn {
                do throws(StoreError) {
                    try await confirmation.confirm(by: deadline)
                    heard.withLock { $0.append(true) }
                } catch { heard.withLock { $0.append(false) } }
            }
        }
    }

    /// Waits until so many have heard, and so many commits were begun.
    func until(heard count: Int, begun: Int) async throws {
        let limit = MonotonicInstant.soon
        while heard.current.count < count || commits.begun.current < begun {
            try #require(MonotonicInstant.now() < limit, "\(heard.current.count) have heard")
            await commits.loop.waitOut(until: .after(.milliseconds(1)))
        }
    }
}

/// Who needs a commit of others (decision 0234).
@Suite("Who joins a commit that is waited for", .timeLimit(.minutes(1)))
struct JoinedConfirmationTests {
    private static func with(
        _ body: @escaping @Sendable (Askers) async throws -> Void
    ) async throws {
        let loop = try Loop.running()
        defer { loop.end() }
        try await loop.answer { try await body(Askers(on: loop)) }
    }

    @Test("has another where it fails, since that had begun before") func another() async throws {
        try await Self.with { askers in
            askers.ask()
            try await askers.until(heard: 0, begun: 1)
            askers.ask(times: 20)
            askers.commits.answer(.unavailable)
            try await askers.until(heard: 1, begun: 2)
            #expect(askers.heard.current == [false])
            askers.commits.answer(nil)
            try await askers.until(heard: 21, begun: 2)
            let good = askers.heard.current.filter { $0 }
            #expect(good.count == 20)
            #expect(askers.commits.begun.current == 2)
        }
    }

    @Test("has no third one") func noThird() async throws {
        try await Self.with { askers in
            askers.ask()
            try await askers.until(heard: 0, begun: 1)
            askers.ask(times: 20)
            askers.commits.answer(.unavailable)
            askers.commits.answer(.unavailable)
            try await askers.until(heard: 21, begun: 2)
            #expect(!askers.heard.current.contains(true))
            #expect(askers.commits.begun.current == 2)
        }
    }

    @Test("has none when its time is over") func late() async throws {
        try await Self.with { askers in
            askers.ask()
            try await askers.until(heard: 0, begun: 1)
            askers.ask(by: .after(.milliseconds(20)))
            try await askers.until(heard: 1, begun: 1)
            #expect(askers.heard.current == [false])
            askers.commits.answer(nil)
            try await askers.until(heard: 2, begun: 1)
            #expect(askers.heard.current == [false, true])
            #expect(askers.commits.begun.current == 1)
        }
    }

    @Test("before it begins has that one alone, as who asked first") func together() async throws {
        try await Self.with { askers in
            askers.ask(times: 20)
            askers.commits.answer(.unavailable)
            try await askers.until(heard: 20, begun: 1)
            #expect(!askers.heard.current.contains(true))
            #expect(askers.commits.begun.current == 1)
        }
    }
}
