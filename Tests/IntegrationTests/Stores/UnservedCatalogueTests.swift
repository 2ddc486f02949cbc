import Domain
import InMemory
import Issuing
import OAuth
import Persistence
import Runtime
import TestSupport
import Testing

/// What a catalogue says of a log it cannot serve, or cannot reach.
@Suite("Projects that are not served") struct UnservedCatalogueTests {
    /// A document is the project's name and its host, and behind an `@` the domain of its cookie;
    /// one with three words cannot be read.
    private struct Documents: ProjectDocuments {
        func read(_ document: [UInt8]) throws(ProjectFindings) -> ProjectSettings {
            let words = String(decoding: document, as: UTF8.self).split(separator: " ")
            guard words.count == 2 else {
                let isMoved = words.last == "moved"
                throw ProjectFindings(lines: ["oauth.new: unknown"], isAboutOrigin: isMoved)
            }
            let parts = words[1].split(separator: "@").map(String.init)
            var settings = ProjectSettings(
                id: Sample.project(String(words[0])),
                name: String(words[0]),
                publicOrigin: "https://\(parts[0])",
                hosts: [parts[0]],
                clients: []
            )
            settings.cookieDomain = parts.dropFirst().first
            return settings
        }

        func cautions(in document: [UInt8]) -> [String] { [] }
        func clients(in document: [UInt8]) -> [ClientID] { [] }
        func hosts(in document: [UInt8]) -> [String] { [] }
        func changedPaths(from old: [UInt8]?, to new: [UInt8]) -> [String] { [] }
    }

    /// A log that may get another server in the middle of a look.
    struct Servers: StandInStore {
        private let current = Guarded(InMemoryEventStore())
        private let meanwhile = Guarded<[StreamID: @Sendable () async -> Void]>([:])
        /// How many answers there is time for; nil: any number.
        private let left = Guarded<Int?>(nil)
        /// As the store counts them.
        private let server = Guarded(0)

        var log: InMemoryEventStore { current.current }

        func fail(over successor: InMemoryEventStore) { current.replace(with: successor) }

        func restart() { server.withLock { $0 += 1 } }

        func allow(_ answers: Int) { left.replace(with: answers) }

        /// Lets `body` happen once, behind the next answer about `stream`.
        func behind(_ stream: StreamID, _ body: @escaping @Sendable () async -> Void) {
            meanwhile.withLock { $0[stream] = body }
        }

        func load<A: Aggregate>(_ aggregate: A.Type, _ stream: StreamID, by deadline: Deadline)
            async throws(StoreError) -> Loaded<A>
        {
            let isInTime = left.withLock { left in
                guard let count = left else { return true }
                left = max(0, count - 1)
                return count > 0
            }
            guard isInTime else { throw .unavailable }
            let found = try await log.load(aggregate, stream, by: deadline)
            await meanwhile.withLock { $0.removeValue(forKey: stream) }?()
            return Loaded(
                stream: stream,
                project: found.project,
                version: found.version,
                server: server.current,
                hash: found.hash,
                occurredAt: found.occurredAt,
                state: found.state,
                isCurrent: true
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

    private let names = StreamNames(StandInDigester())
    var servers = Servers()
    private var store: InMemoryEventStore { servers.log }

    var catalogue: ProjectCatalogue { catalogue(saying: .discarding) }

    func catalogue(saying log: Log) -> ProjectCatalogue {
        ProjectCatalogue(store: servers, documents: Documents(), names: names, log: log)
    }

    func apply(_ document: String, as number: ProjectNumber) async throws {
        let name = document.prefix { $0 != " " }
        let applied = ProjectConfig.Applied(
            id: Sample.project(String(name)),
            digest: StandInDigester().sha256(Array(document.utf8)),
            document: Array(document.utf8)
        )
        try await append(.applied(applied, changed: []), as: number)
    }

    private func append(_ event: ProjectConfig.Event, as number: ProjectNumber) async throws {
        let stream = names.projectConfig(number)
        let append = StreamAppend(
            stream: stream,
            kind: .projectConfig,
            expected: Int32(store.events(of: stream).count),
            previousHash: nil,
            occurredAt: .sample,
            events: [.projectConfig(event)],
            stateAfter: ProjectConfig.State.absent
        )
        let commit = Commit(
            command: CommandID(StreamID(high: 1, low: UInt64(store.commits.count))),
            project: number,
            attributes: EventAttributes(actor: .system),
            streams: [append],
            guards: []
        )
        try await store.append(commit, by: .soon)
    }

    @Test("until the numbers are read to their end nothing is complete, and it is asked often")
    func unread() async throws {
        let catalogue = catalogue
        #expect(catalogue.problem == "the projects are not read yet")
        #expect(!catalogue.isComplete && catalogue.pause < .seconds(1))
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.problem == "there is no project yet")
        #expect(!catalogue.isComplete && catalogue.pause == .seconds(5))
        try await apply("one one.example.com", as: Sample.number(1))
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.problem == nil && catalogue.isComplete)
    }

    @Test("more than one look has time for are read in several, and so again after a failover")
    func many() async throws {
        for number in 1...5 {
            try await apply("p\(number) p\(number).example.com", as: Sample.number(Int16(number)))
        }
        let catalogue = catalogue
        for isAgain in [false, true] {
            if isAgain { catalogue.beginServer() }
            var looks = 0
            // Four answers are two projects.
            repeat {
                servers.allow(4)
                looks += 1
                do { try await catalogue.refresh(by: .soon) } catch { continue }
                break
            } while looks < 10
            #expect(looks == 3)
            #expect(catalogue.all.count == 5)
            #expect(catalogue.problem == nil)
        }
    }

    @Test("one that this program cannot read is known, named and awaited; others are served")
    func unreadable() async throws {
        try await apply("one one.example.com", as: Sample.number(1))
        try await apply("two two.example.com new", as: Sample.number(2))
        try await apply("three three.example.com", as: Sample.number(3))
        let catalogue = catalogue
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.all.map(\.settings.name) == ["one", "three"])
        #expect(catalogue.number(of: Sample.project("two")) == Sample.number(2))
        #expect(catalogue.problem == "project two: oauth.new: unknown")
        #expect(catalogue.unserved == ["project two: oauth.new: unknown"])
        #expect(catalogue.unservedIDs == [Sample.project("two")])
        #expect(!catalogue.isComplete)
        let stream = names.projectConfig(Sample.number(2))
        #expect(catalogue.concerns(stream) == Sample.number(2))
        try await apply("two two.example.com", as: Sample.number(2))
        try await catalogue.reload(Sample.number(2), by: .soon)
        #expect(catalogue.problem == nil && catalogue.unservedIDs.isEmpty)
        #expect(catalogue.project(host: "two.example.com") != nil)
    }

    @Test("one that was served goes on with its old settings, and is no reason to send it nobody")
    func served() async throws {
        try await apply("one one.example.com", as: Sample.number(1))
        let catalogue = catalogue
        try await catalogue.refresh(by: .soon)
        try await apply("one one.example.com new", as: Sample.number(1))
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.problem == nil)
        #expect(catalogue.all.first?.settings.hosts == ["one.example.com"])
        #expect(catalogue.all.first?.configuration.version == 2)
    }

    @Test("settings that are behind their document say so, until one can be read") func behind()
        async throws
    {
        let (one, id) = (Sample.number(1), Sample.project("one"))
        let catalogue = catalogue
        try await apply("one one.example.com", as: one)
        try await catalogue.refresh(by: .soon)
        let project = try #require(catalogue.project(id: id))
        #expect(!project.isBehind)
        try await apply("one one.example.com new", as: one)
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.project(id: id)?.isBehind == true)
        try await append(.suspended(reason: "x"), as: one)
        try await catalogue.refresh(by: .soon)
        let suspended = try #require(catalogue.project(id: id))
        #expect(suspended.isBehind && suspended.isSuspended)
        await #expect(throws: StoreError.self) { try await catalogue.newest(project, by: .soon) }
        try await apply("one one.example.org", as: one)
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.project(id: id)?.isBehind == false)
        #expect(try await catalogue.newest(project, by: .soon).configuration.version == 4)
    }

    @Test("one whose events cannot be read is named by its number") func corrupt() async throws {
        try await apply("one one.example.com", as: Sample.number(1))
        try await append(.resumed, as: Sample.number(2))
        let catalogue = catalogue
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.problem == "project number 2: its events cannot be read here")
        #expect(catalogue.unservedIDs.isEmpty)
        #expect(catalogue.all.count == 1)
    }

    @Test("what was read at a server that is gone counts as read once it was read again")
    func goneServer() async throws {
        try await apply("one one.example.com", as: Sample.number(1))
        let catalogue = catalogue
        servers.behind(names.signingKeys(of: Sample.number(1))) { catalogue.beginServer() }
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.all.isEmpty)
        #expect(catalogue.problem == "the projects are not read yet")
        #expect(!catalogue.isComplete && catalogue.pause < .seconds(1))
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.problem == nil && catalogue.all.count == 1)
    }

    @Test("versions that are the same at another server are that one's once they are read of it")
    func sameVersions() async throws {
        try await apply("one one.example.com", as: Sample.number(1))
        let catalogue = catalogue
        try await catalogue.refresh(by: .soon)
        servers.restart()
        // The catalogue hears of it after the store.
        try await catalogue.reload(Sample.number(1), by: .soon)
        let project = try #require(catalogue.all.first)
        #expect(project.configuration.version == 1)
        #expect(project.configuration.isOf(1))
    }

    @Test("what a failover lost is forgotten: its host is nobody's", arguments: ["", " new"])
    func lost(_ more: String) async throws {
        let successor = Servers()
        for servers in [servers, successor] {
            var log = self
            log.servers = servers
            try await log.apply("one one.example.com", as: Sample.number(1))
        }
        try await apply("two two.example.com\(more)", as: Sample.number(2))
        let catalogue = catalogue
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.number(of: Sample.project("two")) == Sample.number(2))
        #expect(catalogue.isComplete == more.isEmpty)
        servers.fail(over: successor.log)
        catalogue.beginServer()
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.number(of: Sample.project("two")) == nil)
        #expect(catalogue.project(host: "two.example.com") == nil)
        #expect(catalogue.project(host: "one.example.com") != nil && catalogue.isComplete)
    }

    @Test("one that comes while the numbers are read to their end is not forgotten")
    func meanwhile() async throws {
        try await apply("one one.example.com", as: Sample.number(1))
        let (catalogue, two) = (catalogue, Sample.number(2))
        servers.behind(names.projectConfig(two)) { [self] in
            do {
                try await apply("two two.example.com", as: two)
                try await catalogue.reload(two, by: .soon)
            } catch { Issue.record("\(error)") }
        }
        try await catalogue.refresh(by: .soon)
        #expect(catalogue.number(of: Sample.project("two")) == two)
        #expect(catalogue.project(host: "two.example.com") != nil)
    }
}
