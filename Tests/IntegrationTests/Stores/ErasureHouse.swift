import Crypto
import Domain
import Foundation
import InMemory
import Issuing
import OAuth
import Persistence
import Postgres
import Runtime
import Signing
import TestSupport
import Testing

/// A node with keys, and the users that signed in there.
struct ErasureHouse {
    struct User {
        var subject: SubjectID
        var link: StreamID
        var login: StreamID
        /// Each with the id of its key and its place.
        var sealed: [(Sealed, key: StreamID, SealedPlace)]
    }

    let node: StoreHarness
    let project: Project
    let administration: SubjectAdministration
    private let names = StreamNames(StandInDigester())
    private let sealer: EnvelopeSealer
    private let contexts: PostgresContextLog
    private let folder: String

    init(_ node: StoreHarness) throws {
        self.node = node
        let name = Hexadecimal.text(SecureRandom.bytes(8))
        folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(name)").path()
        try FileWriting.makeDirectory(folder)
        try FileWriting.replace("\(folder)/kek", with: SecureRandom.bytes(32))
        let keys = try KeyDirectory.make(
            at: "\(folder)/keys",
            unlockedBy: .credential(path: "\(folder)/kek")
        )
        sealer = EnvelopeSealer(keys.encryption, PostgresSealingKeyStore(node.database))
        contexts = PostgresContextLog(node.database, node.metrics, log: .discarding)
        project = try Self.project(node.project)
        let clock = SettableClock(.sample)
        administration = SubjectAdministration(
            commands: CommandRunner(
                store: node.store,
                projects: InMemoryProjects([project]),
                clock: clock,
                entropy: SeededEntropy(seed: 7),
                names: StreamNames(StandInDigester()),
                pause: clock
            ),
            personalData: PostgresPersonalData(node.database)
        )
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private static func project(_ number: ProjectNumber) throws -> Project {
        let digester = StandInDigester()
        let names = StreamNames(digester)
        return Project(
            number: number,
            settings: ProjectSettings(
                id: Sample.project("bank"),
                name: "Bank",
                publicOrigin: "https://auth.example.com",
                hosts: ["auth.example.com"],
                clients: []
            ),
            digest: digester.sha256([]),
            configuration: StreamGuard(stream: names.projectConfig(number), version: 0),
            keys: SigningKeyRing.State(),
            keysStream: names.signingKeys(of: number),
            keysVersion: 0
        )
    }

    /// Somebody signs in for the first time: a mail to an unknown address, then a subject.
    func user(_ address: String, network: String, _ agent: String) async throws -> User {
        let email = try #require(EmailAddress(address.utf8))
        let subject = SubjectID(node.newStream())
        let link = node.newStream()
        let login = names.loginID(email, in: node.project)
        let linkKey = try await sealer.key(link, of: node.project, by: .soon)
        let key = try await sealer.key(subject.stream, of: node.project, by: .soon)
        let places = [
            SealedPlace(stream: link, member: "email"), .email(of: subject),
            SealedPlace(stream: login, member: "value"),
        ]
        let sealed = [
            linkKey.seal(email.bytes, as: places[0]), key.seal(email.bytes, as: places[1]),
            key.seal(email.bytes, as: places[2]),
        ]
        let requested = LoginLink.Event.requested(Self.request(sealed[0]))
        let first = node.newCommand()
        try await node.store.append(
            node.commit([try append(LoginLink.self, link, [requested])], as: first),
            by: .soon
        )
        record(first, of: nil, network: network, agent)
        try await register(subject, login, sealed, network: network, agent)
        try await consume(link, requested, by: subject)
        let keys = [link, subject.stream, subject.stream]
        let all = zip(zip(sealed, keys), places).map { ($0.0, key: $0.1, $1) }
        return User(subject: subject, link: link, login: login, sealed: all)
    }

    private func register(
        _ subject: SubjectID,
        _ login: StreamID,
        _ sealed: [Sealed],
        network: String,
        _ agent: String
    ) async throws {
        let command = node.newCommand()
        var events: [Subject.Event] = [
            .registered(source: .loginLink, email: sealed[1], emailVerified: true, at: .sample)
        ]
        // Enough for a snapshot.
        for _ in 0..<31 { events += [.disabled(.operator), .enabled(at: .sample)] }
        let claim = LoginID.Event.claimed(by: subject, kind: .email, value: sealed[2])
        try await node.store.append(
            attributed(
                [
                    try append(Subject.self, subject.stream, events),
                    try append(LoginID.self, login, [claim]),
                ],
                to: subject,
                as: command
            ),
            by: .soon
        )
        record(command, of: subject, network: network, agent)
    }

    private func consume(
        _ link: StreamID,
        _ requested: LoginLink.Event,
        by subject: SubjectID
    ) async throws {
        let approved = LoginLink.Event.approved(by: .browser, sameDevice: true, generation: 1)
        let loaded = try await node.store.load(LoginLink.self, link, by: .soon)
        let after = try #require(LoginLink.evolve(loaded.state, by: approved))
        let end = StreamAppend(
            stream: link,
            kind: .loginLink,
            expected: loaded.version,
            previousHash: loaded.hash,
            occurredAt: .sample,
            events: [LoginLink.wrap(approved)],
            stateAfter: after
        )
        let commit = attributed([end], to: subject, as: node.newCommand())
        try await node.store.append(commit, by: .soon)
    }

    private func attributed(
        _ streams: [StreamAppend],
        to subject: SubjectID,
        as command: CommandID
    ) -> Commit {
        var commit = node.commit(streams, as: command)
        commit.attributes.subject = subject
        return commit
    }

    private func append<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        _ events: [A.Event]
    ) throws -> StreamAppend {
        StreamAppend(
            stream: stream,
            kind: A.kind,
            expected: 0,
            previousHash: nil,
            occurredAt: .sample,
            events: events.map(A.wrap),
            stateAfter: A.fold(events)
        )
    }

    private static func request(_ email: Sealed) -> LoginLink.Request {
        LoginLink.Request(
            authorization: Sample.stream(1),
            client: Sample.client("app"),
            email: email,
            device: nil,
            subject: nil,
            initiator: Sample.digest(1),
            mode: .automatic,
            number: 7,
            requestedAt: .sample,
            expiresAt: Instant.sample.adding(seconds: 600).wholeMilliseconds
        )
    }

    func record(
        _ command: CommandID,
        of subject: SubjectID?,
        network: String,
        _ agent: String
    ) {
        contexts.record(
            RequestContext(
                command: command,
                project: node.project,
                subject: subject,
                at: .sample,
                network: network,
                userAgent: agent
            )
        )
    }

    /// Contexts are written behind the answer.
    func untilContexts(
        _ count: Int64,
        _ owner: Connection,
        _ database: TestDatabase
    ) async throws {
        let sql = "SELECT count(*) FROM es.contexts"
        let limit = MonotonicInstant.soon
        while try await owner.query(.number(sql), deadline: .soon) != [count] {
            try #require(.now() < limit, "contexts were not written")
            try await database.loop.sleep(until: .after(.milliseconds(5)))
        }
    }

    /// What can be opened of what was sealed for a user, with the keys that are left.
    func read(_ user: User) async throws -> [String] {
        var found: [String] = []
        for (sealed, id, place) in user.sealed {
            guard let key = try await sealer.existingKey(id, by: .soon),
                let bytes = key.open(sealed, at: place)
            else { continue }
            found.append(String(decoding: bytes, as: UTF8.self))
        }
        return found
    }

    func find(_ address: String) async throws -> [SubjectAdministration.Entry] {
        let email = try #require(EmailAddress(address.utf8))
        return try await administration.find(email, in: project, by: .soon)
    }
}
