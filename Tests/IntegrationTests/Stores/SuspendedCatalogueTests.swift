import Domain
import InMemory
import Issuing
import OAuth
import Persistence
import Runtime
import TestSupport
import Testing

/// An operator suspends a project at one of two nodes on one database (decision 0201).
@Suite("A project that two nodes serve", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct SuspendedCatalogueTests {
    /// Makes keys that nobody signs with.
    private struct Vault: KeyVault {
        func generate(_ algorithm: SigningKeyRing.Algorithm, for project: ProjectNumber)
            async throws(KeyVaultError) -> GeneratedKey
        {
            GeneratedKey(
                kid: "first-\(algorithm.rawValue)",
                algorithm: algorithm,
                publicKey: Array(#"{"kty":"EC"}"#.utf8)
            )
        }

        func fault(of kid: String, _ algorithm: SigningKeyRing.Algorithm) async -> String? { nil }
    }

    private struct Origins: ProjectOrigins {
        func firstProjects(by deadline: Deadline) async throws(StoreError) -> [StreamID] { [] }
    }

    /// What one node serves, and what an operator and a service ask it; it hears nothing of the
    /// other one before it looks.
    private struct Node: Sendable {
        static let eve = Operator(name: "eve", role: .configure)
        static let number = Sample.number(1)
        static let names = StreamNames(StandInDigester())

        let store: PostgresEventStore
        let catalogue: ProjectCatalogue
        let administration: ProjectAdministration
        let liveness: Liveness
        private let claims: AccessTokenClaims

        init(_ harness: StoreHarness) {
            let clock = SettableClock(.sample)
            let entropy = SeededEntropy(seed: .random(in: .min ... .max))
            store = harness.store
            catalogue = ProjectCatalogue(
                store: harness.store,
                documents: NamedDocuments(services: [Sample.client("api")]),
                names: Self.names,
                log: .discarding
            )
            let commands = CommandRunner(
                store: harness.store,
                projects: catalogue,
                clock: clock,
                entropy: entropy,
                names: Self.names,
                pause: clock
            )
            administration = ProjectAdministration(
                commands: commands,
                documents: NamedDocuments(services: [Sample.client("api")]),
                digester: StandInDigester(),
                keys: KeyAdministration(commands: commands, vault: Vault()),
                origins: Origins()
            )
            liveness = Liveness(
                store: harness.store,
                projects: catalogue,
                clock: clock,
                names: Self.names
            )
            claims = AccessTokenClaims(
                token: TokenID(.timeOrdered(at: clock.now, from: entropy)),
                subject: "api",
                client: Sample.client("api"),
                audience: [],
                scope: .empty,
                issuedAt: clock.now,
                expiresAt: clock.now.adding(seconds: 3600)
            )
        }

        var project: Project { get throws { try Fixture.some(catalogue.all.first) } }

        func apply(_ document: String, over old: String? = nil) async throws {
            let seen: ProjectAdministration.Precondition =
                if let old {
                    .digest(StandInDigester().sha256(Array(old.utf8)))
                } else {
                    .absent
                }
            try await Self.patiently { () async throws(OperationError) in
                _ = try await administration.apply(
                    Array(document.utf8),
                    if: seen,
                    by: Self.eve,
                    reason: "new",
                    deadline: .soon
                )
            }
        }

        func suspend() async throws {
            let served = try project
            try await Self.patiently { () async throws(OperationError) in
                try await administration.suspend(
                    by: Order(in: served, by: Self.eve, reason: "unpaid", deadline: .soon)
                )
            }
        }

        func resume() async throws {
            let served = try project
            try await Self.patiently { () async throws(OperationError) in
                try await administration.resume(
                    by: Order(in: served, by: Self.eve, reason: "paid", deadline: .soon)
                )
            }
        }

        /// Whether a token of the project's service counts, as introspection says.
        func believesToken() async throws -> Bool {
            try await liveness.isAlive(claims, in: project, by: .soon)
        }

        /// The project's state in the log, and how many events made it.
        func logged() async throws -> Loaded<ProjectConfig> {
            let stream = Self.names.projectConfig(Self.number)
            return try await store.loadCurrent(ProjectConfig.self, stream, by: .soon)
        }

        /// Does again what a busy machine refused: nothing has happened then.
        private static func patiently(_ body: () async throws(OperationError) -> Void)
            async throws
        {
            let limit = Deadline.soon
            while true {
                do throws(OperationError) { return try await body() } catch {
                    guard case .store(.unavailable) = error, Deadline.after(.zero) < limit else {
                        throw error
                    }
                }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// Two nodes that both serve the same project.
    private static func serving(_ nodes: [StoreHarness]) async throws -> (here: Node, there: Node) {
        let (here, there) = (Node(nodes[0]), Node(nodes[1]))
        try await here.apply("one")
        try await there.catalogue.refresh(by: .soon)
        #expect(try await there.believesToken())
        return (here, there)
    }

    @Test("is suspended and goes on at either, whatever that one has heard, and each time once")
    func either() async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            let (here, there) = try await Self.serving(nodes)
            try await here.suspend()
            #expect(try !there.project.isSuspended)
            // It hears of it by what it is asked.
            #expect(try await !there.believesToken())
            #expect(try there.project.isSuspended)
            try await there.resume()
            #expect(try here.project.isSuspended)
            try await here.resume()
            #expect(try await here.logged().version == 3)
            #expect(try await here.believesToken())
            try await here.suspend()
            #expect(try !there.project.isSuspended)
            try await there.suspend()
            #expect(try await there.logged().version == 4)
            #expect(try await !there.believesToken())
        }
    }

    @Test("stays suspended whatever document comes at the same time, and has that, too")
    func together() async throws {
        try await StoreHarness.with(nodes: 2) { _, nodes in
            let (here, there) = try await Self.serving(nodes)
            var old = "one"
            for round in 0..<8 {
                let (new, former) = ("one/\(round)", old)
                async let applied: Void = there.apply(new, over: former)
                async let suspended: Void = here.suspend()
                _ = try await (applied, suspended)
                guard case .suspended(let document) = try await here.logged().state else {
                    Issue.record("not suspended in round \(round)")
                    return
                }
                #expect(document.document == Array(new.utf8))
                #expect(try await !there.believesToken())
                try await there.resume()
                old = new
            }
        }
    }
}
