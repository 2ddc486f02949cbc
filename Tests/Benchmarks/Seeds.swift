import Crypto
import Domain
import Issuing
import OAuth
import Persistence
import Postgres
import Runtime
import Signing

/// Writes sessions and codes into the log as the issuer would, without its HTTP side.
final class Seeds: Sendable {
    /// A session's first refresh token and what its commands guard.
    struct Session: Sendable {
        var refreshToken: [UInt8]
        var subject: SubjectID
        var browser: SessionID
        var grant: SessionID
    }

    static let verifier = "a-verifier-of-at-least-forty-three-characters"
    /// Of the verifier, for requests.
    static let codeChallenge = Base64URL.text(SHA256.hash(Array(verifier.utf8)))
    static let redirectURI = "com.example.app:/cb"
    private static let perRound = 256

    let digester: RootDigester
    let entropy = SystemEntropy()
    let names: StreamNames
    let project: ProjectNumber
    private let store: PostgresEventStore
    private let database: Database
    private let sealer: EnvelopeSealer
    let client: ClientID

    /// Opens the issuer's own key directory: names and seals must be the same.
    init(_ stack: Stack, on loop: Loop) throws {
        let keys = try KeyDirectory.make(
            at: "\(stack.directory)/keys",
            unlockedBy: .credential(path: "\(stack.directory)/kek")
        )
        digester = RootDigester(try keys.rootSecrets())
        names = StreamNames(digester)
        guard let project = ProjectNumber(1), let client = ClientID("app") else {
            throw Subprocess.Failed(description: "the project has no number")
        }
        self.project = project
        self.client = client
        let connection = stack.connection(as: "token_issuer")
        database = Database(connection, loops: [loop])
        store = PostgresEventStore(
            EventStoreSettings(node: "seed", lanes: 1, cacheBytesMax: 1024 * 1024),
            connection: connection,
            database: database,
            loops: [loop],
            names: names,
            digester: digester,
            metrics: PersistenceMetrics(Metrics()),
            log: Log(LogWriter(level: .error))
        )
        sealer = EnvelopeSealer(keys.encryption, PostgresSealingKeyStore(database))
        database.start()
        store.start()
    }

    func stop() {
        store.stop()
        database.stop()
    }

    private static var now: Instant { Instant(microseconds: WallTime.nowMicroseconds()) }
    private var deadline: Deadline {
        Deadline(nanoseconds: MonotonicInstant.now().advanced(by: .seconds(30)).nanoseconds)
    }

    /// Writes `count` sessions through the store, each with a sealed e-mail address.
    func sealedSessions(_ count: Int, scope: String) async throws -> [Session] {
        var sessions: [Session] = []
        // A pipeline of sealing keys holds 64 requests.
        for start in Swift.stride(from: 0, to: count, by: 32) {
            let numbers = start..<min(start + 32, count)
            sessions += try await withThrowingTaskGroup(of: Session.self) { group in
                for number in numbers {
                    group.addTask {
                        let fresh = try await self.sealed(number, scope)
                        try await self.commit(fresh.appends, fresh.attributes)
                        return fresh.session
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        return sessions
    }

    private func sealed(_ number: Int, _ scope: String) async throws -> Fresh {
        let subject = SubjectID(.permanent(at: Self.now, from: entropy))
        let key = try await sealer.key(subject.stream, of: project, by: deadline)
        let place = SealedPlace(stream: subject.stream, member: "email")
        let email = key.seal(Array("user\(number)@example.com".utf8), as: place)
        return try fresh(scope, subject: subject, email: email)
    }

    /// A session that is not written yet.
    struct Fresh {
        var session: Session
        var appends: [StreamAppend]
        var attributes: EventAttributes
        var at: Instant
    }

    /// A session with an address that nobody can open.
    func fresh(_ scope: String) throws -> Fresh {
        try fresh(
            scope,
            subject: SubjectID(.permanent(at: Self.now, from: entropy)),
            email: Sealed(bytes: [1] + entropy.bytes(52))
        )
    }

    private func fresh(_ scope: String, subject: SubjectID, email: Sealed) throws -> Fresh {
        let now = Self.now
        let browser = SessionID(.timeOrdered(at: now, from: entropy))
        let grant = SessionID(.timeOrdered(at: now, from: entropy))
        let first = RefreshToken.first(of: grant, family: 1, from: entropy, digester: digester)
        var attributes = EventAttributes(actor: .client(client))
        attributes.subject = subject
        let opening = try opening(grant, first, subject, browser, scope, at: now)
        let opened = try append(OfflineGrant.self, grant.stream, [opening], at: now)
        let owner = try append(
            Subject.self,
            subject.stream,
            [.register(source: .loginLink, email: email, emailVerified: true, at: now)],
            at: now
        )
        let visit = try append(
            BrowserSession.self,
            browser.stream,
            [
                .open(self.browser(browser, of: subject, at: now)),
                .join(.init(client: client, grant: grant)),
            ],
            at: now
        )
        return Fresh(
            session: Session(
                refreshToken: first.text,
                subject: subject,
                browser: browser,
                grant: grant
            ),
            appends: [opened, owner, visit],
            attributes: attributes,
            at: now
        )
    }

    private func opening(
        _ grant: SessionID,
        _ first: RefreshToken,
        _ subject: SubjectID,
        _ browser: SessionID,
        _ scope: String,
        at now: Instant
    ) throws -> OfflineGrant.Command {
        guard let scope = Scope(scope) else { throw Subprocess.Failed(description: scope) }
        let expiresAt = now.adding(seconds: 31_536_000).wholeMilliseconds
        return .open(
            OfflineGrant.Opening(
                subject: subject,
                client: client,
                scope: scope,
                authentication: Authentication(methods: [.otp], at: now),
                via: .code,
                parent: Parent(kind: .code, stream: .timeOrdered(at: now, from: entropy)),
                browserSession: browser,
                openedAt: now,
                expiresAt: expiresAt,
                idleMilliseconds: 2_592_000_000
            ),
            refreshToken: OfflineGrant.RefreshTokenIssue(
                client: client,
                family: 1,
                scope: scope,
                secret: first.digest,
                rotates: true,
                expiresAt: expiresAt
            ),
            accessToken: OfflineGrant.AccessTokenIssue(
                token: TokenID(.timeOrdered(at: now, from: entropy)),
                client: client,
                scope: scope,
                via: .code,
                expiresAt: now.adding(seconds: 900).wholeMilliseconds
            )
        )
    }

    private func browser(_ id: SessionID, of subject: SubjectID, at now: Instant)
        -> BrowserSession.Session
    {
        BrowserSession.Session(
            subject: subject,
            authentication: Authentication(methods: [.otp], at: now),
            cookie: digester.sha256(id.stream.bytes),
            parent: Parent(kind: .loginLink, stream: .timeOrdered(at: now, from: entropy)),
            openedAt: now,
            expiresAt: now.adding(seconds: 2_592_000).wholeMilliseconds,
            idleMilliseconds: 604_800_000
        )
    }

    /// Writes `count` codes that sessions' users may redeem.
    func codes(_ count: Int, for sessions: [Session], scope: String) async throws -> [[UInt8]] {
        var codes: [[UInt8]] = []
        for start in Swift.stride(from: 0, to: count, by: Self.perRound) {
            let numbers = start..<min(start + Self.perRound, count)
            codes += try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for number in numbers {
                    let session = sessions[number % sessions.count]
                    group.addTask { try await self.code(for: session, scope) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        return codes
    }

    private func code(for session: Session, _ scope: String) async throws -> [UInt8] {
        let now = Self.now
        let token = OpaqueToken(
            .authorizationCode,
            stream: .timeOrdered(at: now, from: entropy),
            secret: entropy.bytes(32),
            digester: digester
        )
        guard let uri = RedirectURI(Self.redirectURI), let scope = Scope(scope) else {
            throw Subprocess.Failed(description: scope)
        }
        let ticket = AuthorizationCode.Ticket(
            client: client,
            redirectURI: uri,
            redirectURIGiven: true,
            scope: scope,
            secret: token.digest,
            codeChallenge: CodeChallenge(digest: digester.sha256(Array(Self.verifier.utf8))),
            subject: session.subject,
            authentication: Authentication(methods: [.otp], at: now),
            parent: Parent(kind: .authorization, stream: .timeOrdered(at: now, from: entropy)),
            browserSession: session.browser,
            expiresAt: now.adding(seconds: 3_600).wholeMilliseconds
        )
        var attributes = EventAttributes(actor: .client(client))
        attributes.subject = session.subject
        let issued = try append(AuthorizationCode.self, token.stream, [.issue(ticket)], at: now)
        try await commit([issued], attributes)
        return token.text
    }

    private func append<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        _ commands: [A.Command],
        at now: Instant
    ) throws -> StreamAppend {
        var state = A.initial
        var events: [DomainEvent] = []
        for command in commands {
            let decided = try A.decide(command, in: state)
            guard let next = A.fold(decided, from: state) else {
                throw Subprocess.Failed(description: "\(A.kind) contradicts itself")
            }
            state = next
            events += decided.map(A.wrap)
        }
        return StreamAppend(
            stream: stream,
            kind: A.kind,
            expected: 0,
            previousHash: nil,
            occurredAt: now,
            events: events,
            stateAfter: state
        )
    }

    private func commit(_ appends: [StreamAppend], _ attributes: EventAttributes) async throws {
        try await store.append(
            Commit(
                command: CommandID(.timeOrdered(at: Self.now, from: entropy)),
                project: project,
                attributes: attributes,
                streams: appends,
                guards: []
            ),
            by: deadline
        )
    }
}
