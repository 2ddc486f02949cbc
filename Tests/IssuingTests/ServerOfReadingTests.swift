import Domain
import InMemory
import Issuing
import Runtime
import TestSupport
import Testing

@Suite("Which server a command rests on") struct ServerOfReadingTests {
    /// A store that says which server it read each stream from.
    private struct Servers: StandInStore {
        let log: InMemoryEventStore
        let project: ProjectNumber
        let server: Int
        /// What it remembers, from the server before.
        var former: StreamID?

        func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
            async throws(StoreError) -> Loaded<A>
        {
            let found = try await log.load(aggregate, stream, by: deadline)
            return Loaded(
                stream: stream,
                project: found.project,
                version: found.version,
                server: server,
                hash: found.hash,
                occurredAt: found.occurredAt,
                state: found.state,
                isCurrent: true
            )
        }

        func remembered(_ stream: StreamID) -> RememberedState? {
            guard stream == former else { return nil }
            return RememberedState(
                project: project,
                version: 1,
                server: server - 1,
                hash: EventHash(digest: StandInDigester().sha256([])),
                occurredAt: Instant(milliseconds: 1),
                state: BrowserSession.State.absent
            )
        }

        func loadCurrent<A: Aggregate>(
            _ aggregate: A.Type,
            _ stream: StreamID,
            by deadline: Deadline
        ) async throws(StoreError) -> Loaded<A> {
            try await load(aggregate, stream, by: deadline)
        }
    }

    @Test("each version in its commit names the server that it was read from") func commit()
        async throws
    {
        let side = try await TokenSide()
        let commands = side.commands(
            over: Servers(
                log: side.store,
                project: side.project.number,
                server: 7,
                former: side.browser.stream
            )
        )
        let request = CommandRequest(
            project: side.project,
            attributes: EventAttributes(actor: .system),
            deadline: Fixture.noDeadline
        )
        let (subject, browser, config) = (side.subject, side.browser, side.project.configuration)
        try await commands.run(request, on: subject.stream) {
            (work: inout Work) async throws(CommandError<Subject.Rejection>) in
            do throws(StoreError) {
                var user = try await work.load(Subject.self, subject.stream)
                work.require(try await work.load(ProjectConfig.self, config.stream))
                work.require(try await work.load(BrowserSession.self, browser.stream))
                _ = try? work.decide(.disable(.operator), on: &user)
            } catch { throw .store(error) }
        }
        let commit = try #require(side.store.commits.last)
        #expect(commit.streams.map(\.server) == [7])
        #expect(commit.guards.map(\.server) == [7, 6])
        #expect(!commit.isOf(7))
    }

    @Test("the keys of a project are of the server that its configuration was read from")
    func ring() async throws {
        let side = try await TokenSide()
        let now = side.project
        let project = Project(
            number: now.number,
            settings: now.settings,
            digest: now.digest,
            configuration: StreamGuard(
                stream: now.configuration.stream,
                version: 1,
                server: 3
            ),
            keys: now.keys,
            keysStream: now.keysStream,
            keysVersion: 2
        )
        #expect(project.ring.isOf(3))
        #expect(!project.ring.isOf(4))
        // What is not there is the same everywhere.
        #expect(now.ring.isOf(4))
    }
}
