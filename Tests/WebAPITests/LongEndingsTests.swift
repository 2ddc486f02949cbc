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
            var comparisons = 0
            /// Pages of streams.
            var histories = 0
            var codes = 0
            var codesMax = Int.max
        }

        let log: InMemoryEventStore
        let seen = Guarded(Seen())

        init(_ log: InMemoryEventStore) { self.log = log }

        func loadCurrent<A: Aggregate>(
            _ aggregate: A.Type,
            _ stream: StreamID,
            by deadline: Deadline
        ) async throws(StoreError) -> Loaded<A> {
            let isRead = seen.withLock { seen in
                if A.kind == .offlineGrant {
                    seen.grants.append(stream)
                    if seen.comparisons == 0 { seen.firstGrants.append(stream) }
                }
                if A.kind == .authorizationCode { seen.codes += 1 }
                return seen.codes <= seen.codesMax
            }
            guard isRead else { throw .unavailable }
            return try await log.loadCurrent(aggregate, stream, by: deadline)
        }

        func history(of stream: StreamID, after version: Int32, by deadline: Deadline)
            async throws(StoreError) -> [RecordedEvent]
        {
            seen.withLock { $0.histories += 1 }
            return try await log.history(of: stream, after: version, by: deadline)
        }

        func areCurrent(_ streams: [StreamGuard], by deadline: Deadline)
            async throws(StoreError) -> Bool
        {
            seen.withLock { $0.comparisons += 1 }
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

    private func approval(_ code: StreamID) -> OfflineGrant.App2AppApproval {
        OfflineGrant.App2AppApproval(
            code: code,
            target: Sample.client("other"),
            insecure: false,
            biometric: false
        )
    }

    /// Approvals that nobody came for.
    private func approve(_ count: UInt64, by owner: Holder) async throws {
        for number in 0..<count {
            try await owner.web.side.run(OfflineGrant.self, owner.session().stream) {
                .approveApp2App(approval(Sample.stream(7_000 + number)))
            }
        }
    }

    /// Ends an owner's session, whose codes a pass reads so many of.
    private func revoke(_ owner: Holder, codesMax: Int) async throws
        -> (WatchedReads, FinishEndings)
    {
        let side = owner.web.side
        try await side.run(OfflineGrant.self, owner.session().stream) { .revoke(.superseded) }
        let store = WatchedReads(side.store)
        store.seen.withLock { $0.codesMax = codesMax }
        return (store, finish(side, over: store))
    }

    @Test("whom an owner let in is ended some at a time, and the next pass goes on there")
    func goesOn() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await Holder(web, web.side.code())
        let first = try await owner.letIn("other")
        let end = try owner.session().stream
        try await approve(64, by: owner)
        let last = try await owner.letIn("app-1")
        let (store, finish) = try await revoke(owner, codesMax: 64)
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

    @Test("the few that an owner let in are known without its stream, and nobody is at once")
    func few() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await Holder(web, web.side.code())
        let first = try await owner.letIn("other")
        try await approve(UInt64(OfflineGrant.approvedCodesMax) - 2, by: owner)
        let last = try await owner.letIn("app-1")
        let (store, finish) = try await revoke(owner, codesMax: .max)
        let outcome = await finish.run(by: Fixture.noDeadline)
        #expect(outcome.sessionCount == 2 && outcome.waiting.isEmpty)
        try await CascadeTests.expectCascaded(first.session(), web)
        try await CascadeTests.expectCascaded(last.session(), web)
        // The ends of those two are on the next page: they let nobody in.
        #expect(await finish.run(by: Fixture.noDeadline).endingCount == 2)
        let seen = store.seen.current
        #expect(seen.histories == 0 && seen.codes == OfflineGrant.approvedCodesMax)
    }

    @Test("nor are they gone through again where whom those let in takes longer than a pass")
    func fewGoOn() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await Holder(web, web.side.code())
        let first = try await owner.letIn("other")
        try await approve(1, by: first)
        let end = try owner.session().stream
        let (store, finish) = try await revoke(owner, codesMax: 1)
        let outcome = await finish.run(by: Fixture.noDeadline)
        #expect(outcome.endingCount == 0 && outcome.waiting.map(\.stream) == [end])
        try await CascadeTests.expectCascaded(first.session(), web)
        store.seen.withLock { seen in
            seen.codes = 0
            seen.codesMax = .max
        }
        let next = await finish.run(by: Fixture.noDeadline, after: outcome.reached)
        #expect(next.endingCount == 2 && next.waiting.isEmpty && next.reached.isEmpty)
        #expect(store.seen.current.codes == 1, "the one of the end in between, by itself")
    }

    @Test("one that goes on where nobody can say whether it cascades waits there") func unknown()
        async throws
    {
        let web = try await CascadeTests.cascading()
        let owner = try await Holder(web, web.side.code())
        let end = try owner.session().stream
        try await approve(64, by: owner)
        let last = try await owner.letIn("app-1")
        let (store, finish) = try await revoke(owner, codesMax: 64)
        let outcome = await finish.run(by: Fixture.noDeadline)
        #expect(outcome.reached[end] != nil)
        store.seen.withLock { $0.codesMax = .max }
        let project = web.side.projects.project(id: web.side.project.settings.id)
        let settings = try #require(project).settings
        try await web.side.apply(settings, serving: settings)
        let unknown = await finish.run(by: Fixture.noDeadline, after: outcome.reached)
        #expect(unknown.waiting.map(\.stream) == [end] && unknown.reached == outcome.reached)
        #expect(try await last.isOpen())
        try await web.side.apply(settings)
        let next = await finish.run(by: Fixture.noDeadline, after: unknown.reached)
        #expect(next.sessionCount == 1 && next.waiting.isEmpty && next.reached.isEmpty)
        try await CascadeTests.expectCascaded(last.session(), web)
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
        try await web.side.run(OfflineGrant.self, end) { .approveApp2App(approval(code.stream)) }
        web.side.store.spoil(code.stream)
        try await web.side.run(OfflineGrant.self, end) { .revoke(.superseded) }
        let outcome = await finish(web.side, over: WatchedReads(web.side.store))
            .run(by: Fixture.noDeadline)
        #expect(outcome.unreadable == [code.stream] && outcome.waiting.isEmpty)
        try await CascadeTests.expectCascaded(first.session(), web)
        try await CascadeTests.expectCascaded(last.session(), web)
    }

    @Test("a code that cannot be read is named by the pass that goes on behind it")
    func namedOnce() async throws {
        let web = try await CascadeTests.cascading()
        let owner = try await Holder(web, web.side.code())
        let first = try await owner.letIn("other")
        let end = try owner.session().stream
        let code = try #require(
            web.side.store.commits.flatMap(\.streams).first { $0.kind == .authorizationCode }
        )
        try await web.side.run(OfflineGrant.self, end) { .approveApp2App(approval(code.stream)) }
        try await approve(62, by: owner)
        let last = try await owner.letIn("app-1")
        web.side.store.spoil(code.stream)
        let (store, finish) = try await revoke(owner, codesMax: 64)
        let outcome = await finish.run(by: Fixture.noDeadline)
        #expect(outcome.waiting.map(\.stream) == [end] && outcome.unreadable == [code.stream])
        try await CascadeTests.expectCascaded(first.session(), web)
        #expect(try await last.isOpen())
        store.seen.withLock { $0.codesMax = .max }
        let next = await finish.run(by: Fixture.noDeadline, after: outcome.reached)
        #expect(next.sessionCount == 1 && next.waiting.isEmpty && next.unreadable.isEmpty)
        try await CascadeTests.expectCascaded(last.session(), web)
    }

    @Test("the apps' sessions of a page are read at once, and neither they nor settings twice")
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
        #expect(seen.comparisons == 1, "of the settings that all of them go by")
    }
}
