import Postgres
import Publishing
import Runtime
import TestSupport
import Testing

@testable import Persistence

/// Reads the pages that a test gives it, in their order; waits where there is none yet.
private struct PageShelf: Sendable {
    let loop: Loop
    let asked = Guarded<[SharedPages.Question]>([])
    private let pages = Guarded<[RevocationPage?]>([])

    /// Nil: that reading fails.
    func put(_ page: RevocationPage?) { pages.withLock { $0.append(page) } }

    func shared(atOnce: Int = 8) -> SharedPages {
        SharedPages(on: loop, through: AskingLine(on: loop, atOnce: atOnce)) { question, _ in
            await read(question)
        }
    }

    private func read(_ question: SharedPages.Question) async -> RevocationPage? {
        asked.withLock { $0.append(question) }
        while true {
            let found: RevocationPage?? = pages.withLock { pages in
                pages.isEmpty ? nil : .some(pages.removeFirst())
            }
            if let page = found { return page }
            await pass()
        }
    }

    func pass() async { await loop.waitOut(until: .after(.milliseconds(1))) }

    /// Waits until so many readings have begun.
    func untilAsked(_ count: Int) async throws {
        let limit = MonotonicInstant.soon
        while asked.current.count < count {
            try #require(MonotonicInstant.now() < limit, "\(asked.current.count) readings began")
            await pass()
        }
    }
}

/// Those who ask in tasks of their own, and what they hear.
private struct Readers: Sendable {
    let shelf: PageShelf
    let shared: SharedPages
    /// Where each was told that it stands; nil: that there is no page.
    let heard = Guarded<[Int64?]>([])

    /// `busyUntil`: keeps the loop busy until then once it has heard.
    @discardableResult
    func ask(
        _ question: SharedPages.Question = .page(),
        by deadline: MonotonicInstant = .soon,
        busyUntil end: MonotonicInstant? = nil
    ) -> Task<Void, Never> {
        shelf.loop.spawn {
            let page = await shared.page(question, by: deadline)
            heard.withLock { $0.append(page?.next.index) }
            while let end, MonotonicInstant.now() < end {}
        }
    }

    func untilHeard(_ count: Int) async throws {
        let limit = MonotonicInstant.soon
        while heard.current.count < count {
            try #require(MonotonicInstant.now() < limit, "\(heard.current.count) heard")
            await shelf.pass()
        }
    }
}

extension SharedPages.Question {
    fileprivate static func page(
        of project: Int16 = 1,
        after index: Int64? = nil,
        limit: Int = 500
    ) -> Self {
        Self(
            project: Sample.number(project),
            after: index.map { FeedPlace(index: $0, late: 0) },
            limit: limit
        )
    }
}

@Suite("A page of the feed that several ask for", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct SharedPagesTests {
    private static func page(_ index: Int64) -> RevocationPage {
        RevocationPage(
            items: [],
            model: Sample.stream(7),
            late: 0,
            next: FeedPlace(index: index, late: 0),
            watermark: nil
        )
    }

    private static func all(_ count: Int, _ index: Int64?) -> [Int64?] {
        Array(repeating: index, count: count)
    }

    private static func with(
        atOnce: Int = 8,
        _ body: @escaping @Sendable (PageShelf, Readers) async throws -> Void
    ) async throws {
        let loop = try Loop.running()
        defer { loop.end() }
        let shelf = PageShelf(loop: loop)
        try await loop.answer {
            try await body(shelf, Readers(shelf: shelf, shared: shelf.shared(atOnce: atOnce)))
        }
    }

    @Test("is read once for all who ask together", arguments: [1, 20, 100])
    func together(_ count: Int) async throws {
        try await Self.with { shelf, readers in
            shelf.put(Self.page(4))
            for _ in 0..<count { readers.ask() }
            try await readers.untilHeard(count)
            #expect(readers.heard.current == Self.all(count, 4))
            #expect(shelf.asked.current == [.page()])
        }
    }

    @Test("and fails for all of them; who asks then has it read again") func failure()
        async throws
    {
        try await Self.with { shelf, readers in
            shelf.put(nil)
            for _ in 0..<20 { readers.ask() }
            try await readers.untilHeard(20)
            #expect(readers.heard.current == Self.all(20, nil))
            #expect(shelf.asked.current.count == 1)
            shelf.put(Self.page(4))
            readers.ask()
            try await readers.untilHeard(21)
            #expect(readers.heard.current.last == 4)
        }
    }

    @Test("is not what was read before they asked: another process may have shown them more")
    func later() async throws {
        try await Self.with { shelf, readers in
            readers.ask()
            try await shelf.untilAsked(1)
            for _ in 0..<20 { readers.ask() }
            shelf.put(Self.page(4))
            try await readers.untilHeard(1)
            // All of them share the next one, which begins when the first has ended.
            try await shelf.untilAsked(2)
            #expect(readers.heard.current == [4])
            shelf.put(Self.page(5))
            try await readers.untilHeard(21)
            #expect(readers.heard.current == [4] + Self.all(20, 5))
            #expect(shelf.asked.current.count == 2)
        }
    }

    @Test("is another one with another limit, at another place, of another project")
    func others() async throws {
        let questions: [SharedPages.Question] = [
            .page(), .page(limit: 501), .page(after: 0), .page(after: 1), .page(of: 2),
        ]
        try await Self.with { shelf, readers in
            for question in questions + questions { readers.ask(question) }
            try await shelf.untilAsked(questions.count)
            for _ in questions { shelf.put(Self.page(4)) }
            try await readers.untilHeard(2 * questions.count)
            #expect(shelf.asked.current == questions)
        }
    }

    @Test("is there for the others when whoever asked first has gone") func cancelled()
        async throws
    {
        try await Self.with { shelf, readers in
            let first = readers.ask()
            for _ in 0..<19 { readers.ask() }
            first.cancel()
            try await shelf.untilAsked(1)
            first.cancel()
            shelf.put(Self.page(4))
            try await readers.untilHeard(20)
            #expect(readers.heard.current == Self.all(20, 4))
            #expect(shelf.asked.current.count == 1)
        }
    }

    @Test("comes to who asked late, though the time of who asked before is over") func times()
        async throws
    {
        try await Self.with { shelf, readers in
            readers.ask()
            try await shelf.untilAsked(1)
            readers.ask(by: .after(.milliseconds(20)))
            readers.ask()
            try await readers.untilHeard(1)
            #expect(readers.heard.current == [nil])
            shelf.put(Self.page(4))
            shelf.put(Self.page(5))
            try await readers.untilHeard(3)
            #expect(readers.heard.current == [nil, 4, 5])
        }
    }

    @Test("is there for all who waited, though it takes longer than they wait to tell them")
    func slowAnswers() async throws {
        try await Self.with { shelf, readers in
            let limit = MonotonicInstant.after(.milliseconds(200))
            let late = limit.advanced(by: .milliseconds(20))
            for _ in 0..<100 { readers.ask(by: limit, busyUntil: late) }
            shelf.put(Self.page(4))
            try await readers.untilHeard(100)
            #expect(readers.heard.current == Self.all(100, 4))
        }
    }

    @Test("is refused where the line is too long, and nobody reads it then") func line()
        async throws
    {
        try await Self.with(atOnce: 1) { shelf, readers in
            readers.ask()
            try await shelf.untilAsked(1)
            let limit = MonotonicInstant.after(.milliseconds(20))
            for _ in 0..<20 { readers.ask(.page(after: 4), by: limit) }
            await shelf.loop.waitOut(until: limit.advanced(by: .milliseconds(20)))
            shelf.put(Self.page(4))
            try await readers.untilHeard(21)
            let refused = readers.heard.current.filter { $0 == nil }
            #expect(refused.count == 20)
            #expect(shelf.asked.current == [.page()])
        }
    }

    @Test("costs PostgreSQL one statement") func statement() async throws {
        try await TestDatabase.with { test in
            let (owner, other) = (try await test.connect(), try await test.connect())
            defer {
                owner.close()
                other.close()
            }
            try await FeedPageTests.run(FeedPageTests.rows, on: owner)
            // A busy machine reaches any limit.
            for limit in ["lock_timeout", "statement_timeout"] {
                let patience = "ALTER ROLE projector IN DATABASE \(test.name) SET \(limit) = '60s'"
                try await FeedPageTests.run(patience, on: owner)
            }
            let (database, feed) = try await FeedPageTests.feed(of: test)
            defer { database.stop() }
            let lock = "BEGIN; LOCK TABLE revocation.revocations IN ACCESS EXCLUSIVE MODE"
            try await FeedPageTests.run(lock, on: owner)
            async let pages = Self.ask(feed, times: 20)
            try await test.untilOneWaits()
            // Behind the first statement, and before any other.
            async let isLocked: Void = FeedPageTests.run(lock, on: other)
            try await test.untilSomeWait(2)
            try await FeedPageTests.run("COMMIT", on: owner)
            try await isLocked
            let found = await pages
            try await FeedPageTests.run("COMMIT", on: other)
            let whole = found.filter { $0?.count == 5 }
            #expect(whole.count == 20)
        }
    }

    private static func ask(
        _ feed: any RevocationFeed,
        times count: Int
    ) async -> [RevocationPage?] {
        await withTaskGroup(of: RevocationPage?.self) { group in
            for _ in 0..<count {
                group.addTask { await feed.page(of: Sample.number(1), after: nil, limit: 9) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
