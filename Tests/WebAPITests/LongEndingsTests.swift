import Domain
import InMemory
import Issuing
import Runtime
import TestSupport
import Testing
import WebAPI

/// Nothing that follows an end is so much that it is never done (decision 0198).
@Suite("Ends of much") struct LongEndingsTests {
    private typealias Holder = CascadeTests.Holder

    /// A store that notes what is read of it, and at some point reads no more codes.
    private struct WatchedReads: StandInStore {
        struct Seen: Sendable {
            /// Apps' sessions, before anything was compared with the log and in all.
            var firstGrants: [StreamID] = []
            var grants: [StreamID] = []
            var isCompared = false
            var codes = 0
            var codesMax = Int.max
        }

        let log: InMemoryEventStore
        let seen = Guarded(Seen())

        init(_ log: InMemoryEventStore) { self.log = log }

        func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
            async throws(StoreError) -> Loaded<A>
        {
            try await log.load(aggregate, stream, by: deadline)
        }

        func loadCurrent<A: Aggregate>(
            _ aggregate: A.Type,
            _ stream: StreamID,
            by deadline: Deadline
        ) async throws(StoreError) -> Loaded<A> {
            let isRead = seen.withLock { seen in
                if A.kind == .offlineGrant {
                    seen.grants.append(stream)
                    if !seen.isCompared { seen.firstGrants.append(stream) }
                }
                if A.kind == .authorizationCode { seen.codes += 1 }
                return seen.codes <= seen.codesMax
            }
            guard isRead else { throw .unavailable }
            return try await log.loadCurrent(aggregate, stream, by: deadline)
        }

        func areCurrent(_ streams: [StreamGuard], by deadline: Deadline)
            async throws(StoreError) -> Bool
        {
            seen.withLock { $0.isCompared = true }
            return try await log.areCurrent(streams, by: deadline)
        }
    }

    private func finish(_ side: TokenSide, over store: WatchedReads) -> FinishEndings {
        FinishEndings(
            InMemoryEndingLog(side.store),
            commands: side.commands(over: store),
            personalData: InMemoryPersonalData(),
            pause: PassingTime()
        )
    }

    private func approval(_ number: UInt64) -> OfflineGrant.App2AppApproval {
        OfflineGrant.App2AppApproval(
            code: Sample.stream(number),
            target: Sample.client("other"),
            insecure: false,
            biometric: false
        )
    }

    @Test("whom an owner let in is ended some at a time, and the next pass goes on there")
    func goesOn() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await Holder(web, web.side.code())
        let first = try await owner.letIn("other")
        let end = try owner.session().stream
        // Nobody came for these.
        for number in 0..<UInt64(64) {
            try await web.side.run(OfflineGrant.self, end) {
                .approveApp2App(approval(7_000 + number))
            }
        }
        let last = try await owner.letIn("app-1")
        try await web.side.run(OfflineGrant.self, end) { .revoke(.superseded) }
        let store = WatchedReads(web.side.store)
        store.seen.withLock { $0.codesMax = 64 }
        let finish = finish(web.side, over: store)
        let outcome = await finish.run(by: Fixture.noDeadline)
        #expect(outcome.endingCount == 0 && outcome.waiting.map(\.stream) == [end])
        try await CascadeTests.expectCascaded(first.session(), web)
        #expect(try await last.isOpen())
        store.seen.withLock { seen in
            seen.codes = 0
            seen.codesMax = .max
        }
        let next = await finish.run(by: Fixture.noDeadline, after: outcome.reached)
        #expect(next.sessionCount == 1 && next.waiting.isEmpty && next.reached.isEmpty)
        try await CascadeTests.expectCascaded(last.session(), web)
        #expect(store.seen.current.codes == 2, "what was looked at is not looked at again")
    }

    @Test("a code that cannot be read keeps none beside it from its end") func unreadableCode()
        async throws
    {
        let web = try await CascadeTests.cascading()
        let owner = try await Holder(web, web.side.code())
        let first = try await owner.letIn("other")
        let end = try owner.session().stream
        let last = try await owner.letIn("app-1")
        let code = try #require(
            web.side.store.commits.flatMap(\.streams).first { $0.kind == .authorizationCode }
        )
        try await web.side.run(OfflineGrant.self, end) {
            .approveApp2App(
                OfflineGrant.App2AppApproval(
                    code: code.stream,
                    target: Sample.client("other"),
                    insecure: false,
                    biometric: false
                )
            )
        }
        web.side.store.spoil(code.stream)
        try await web.side.run(OfflineGrant.self, end) { .revoke(.superseded) }
        let outcome = await finish(web.side, over: WatchedReads(web.side.store))
            .run(by: Fixture.noDeadline)
        #expect(outcome.unreadable == [code.stream] && outcome.waiting.isEmpty)
        try await CascadeTests.expectCascaded(first.session(), web)
        try await CascadeTests.expectCascaded(last.session(), web)
    }

    @Test("the apps' sessions of a page are read at once, and none of them twice")
    func readAtOnce() async throws {
        let web = try await CascadeTests.cascading()
        var ends: [StreamID] = []
        for _ in 0..<3 {
            let end = try await Holder(web, web.side.code()).session().stream
            try await web.side.run(OfflineGrant.self, end) { .revoke(.superseded) }
            ends.append(end)
        }
        let store = WatchedReads(web.side.store)
        let outcome = await finish(web.side, over: store).run(by: Fixture.noDeadline)
        #expect(outcome.endingCount == 3)
        let seen = store.seen.current
        #expect(Set(seen.firstGrants) == Set(ends))
        #expect(seen.grants.count == 3)
    }
}
