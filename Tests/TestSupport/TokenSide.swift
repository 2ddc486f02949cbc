package import Domain
package import InMemory
package import Issuing
package import OAuth

/// The token side on twins in memory: one project, one subject, clients of each kind.
package struct TokenSide: Sendable {
    package let store = InMemoryEventStore()
    package let clock = SettableClock()
    package let entropy = SeededEntropy()
    package let digester = StandInDigester()
    package let signer: any TokenSigner
    package let sealer = InMemorySealer()
    package let mailQueue: InMemoryMailQueue
    package let reader: any ClientJWTReader
    package let projects: InMemoryProjects
    package let commands: CommandRunner
    package let project: Project
    package let subject: SubjectID
    package let browser: SessionID

    package static let verifier = "a-verifier-of-at-least-forty-three-characters"
    package static let address = "a@example.com"
    package static let redirectURI = "https://app.example.com/callback"

    /// - Throws: when a fixture is malformed.
    package init(
        reading reader: any ClientJWTReader = StandInClientJWTReader(),
        signer: any TokenSigner = StandInSigner(),
        keys: SigningKeyRing.State = SigningKeyRing.State()
    ) async throws {
        self.signer = signer
        var settings = try ProjectSettings(
            id: Fixture.some(ProjectID("bank")),
            name: "Example Bank",
            publicOrigin: "https://auth.example.com",
            hosts: ["auth.example.com"],
            clients: Self.clients(StandInDigester())
        )
        settings.resources = [.init(uri: "https://api.example.com", scopes: ["payments.read"])]
        settings.cookieDomain = "example.com"
        let number = try Fixture.some(ProjectNumber(1))
        let names = StreamNames(digester)
        let config = names.projectConfig(number)
        project = Project(
            number: number,
            settings: settings,
            digest: digester.sha256([]),
            configuration: StreamGuard(stream: config, version: 1),
            keys: keys,
            keysStream: names.signingKeys(of: number),
            keysVersion: 0
        )
        projects = InMemoryProjects([project])
        mailQueue = InMemoryMailQueue(clock: clock)
        self.reader = reader
        commands = CommandRunner(
            store: store,
            projects: projects,
            clock: clock,
            entropy: entropy,
            names: StreamNames(digester),
            pause: clock
        )
        subject = SubjectID(.permanent(at: clock.now, from: entropy))
        browser = SessionID(.timeOrdered(at: clock.now, from: entropy))
        try await registerProject()
        try await registerSubject()
    }

    /// Those of another node, which reads and writes through `store` and knows `projects`.
    package func commands(
        over store: (any EventStore)? = nil,
        projects: (any ProjectDirectory)? = nil
    ) -> CommandRunner {
        CommandRunner(
            store: store ?? self.store,
            projects: projects ?? self.projects,
            clock: clock,
            entropy: entropy,
            names: StreamNames(digester),
            pause: clock
        )
    }

    private func registerProject() async throws {
        let applied = ProjectConfig.Applied(
            id: project.settings.id,
            digest: project.digest,
            document: []
        )
        try await run(ProjectConfig.self, project.configuration.stream) {
            .apply(applied, expected: nil, changed: [])
        }
    }

    private func registerSubject() async throws {
        let key = try await sealer.key(
            subject.stream,
            of: project.number,
            by: Fixture.noDeadline
        )
        let email = key.seal(Array(Self.address.utf8), as: .email(of: subject))
        try await run(Subject.self, subject.stream) {
            .register(source: .loginLink, email: email, emailVerified: true, at: clock.now)
        }
        let cookie = browserCookie.digest
        let session = BrowserSession.Session(
            subject: subject,
            authentication: Authentication(methods: [.otp], at: clock.now.wholeMilliseconds),
            cookie: cookie,
            parent: Parent(kind: .loginLink, stream: subject.stream),
            openedAt: clock.now,
            expiresAt: clock.now.adding(seconds: 2_592_000).wholeMilliseconds,
            idleMilliseconds: 604_800_000
        )
        try await run(BrowserSession.self, browser.stream, for: subject) { .open(session) }
    }

    /// The cookie of `browser`.
    package var browserCookie: OpaqueToken {
        OpaqueToken(
            .browserSession,
            stream: browser.stream,
            secret: [UInt8](repeating: 7, count: 32),
            digester: digester
        )
    }

    /// Runs one command of one aggregate; its events carry the subject, if any.
    package func run<A: Aggregate>(
        _ aggregate: A.Type,
        _ stream: StreamID,
        for subject: SubjectID? = nil,
        _ command: () -> A.Command
    ) async throws {
        try await commands.run(aggregate, stream, in: project, for: subject, command)
    }
}

extension TokenSide {
    /// The grants and use cases as a process wires them.
    package var grants: AllGrants { grants(running: commands) }

    /// Those of a node whose commands these are.
    package func grants(
        running commands: CommandRunner,
        pace: any LoginPace = AnyPace()
    ) -> AllGrants {
        AllGrants(
            commands: commands,
            signer: signer,
            digester: digester,
            reader: reader,
            memory: InMemoryProofs(),
            pace: pace,
            sealer: sealer,
            mailQueue: mailQueue,
            mailIsDue: {}
        )
    }

    package var endpoint: TokenEndpoint { grants.endpoint }

    package var challenges: Challenges { grants.challenges }

    package var access: AccessProofs { grants.access }

    package var liveness: Liveness { Liveness(commands) }

    package var introspection: Introspection {
        Introspection(
            liveness: liveness,
            signer: signer,
            digester: digester,
            commands: commands
        )
    }

    package var revocation: Revocation {
        Revocation(commands: commands, signer: signer, digester: digester)
    }

    /// The client of this name in the project as it is now.
    package func caller(_ client: String) throws -> Caller {
        let project = try Fixture.some(projects.project(id: project.settings.id))
        let id = try Fixture.some(ClientID(client))
        return Caller(
            project: project,
            client: try Fixture.some(project.enabledClient(id)),
            deadline: Fixture.noDeadline
        )
    }

    /// A code for `client`, as the authorization endpoint issues it; `approval`: of its login, nil
    /// as of one from before that was recorded.
    package func code(
        for client: String = "app",
        scope: String = "openid offline_access",
        browser: SessionID? = nil,
        renewing session: SessionID? = nil,
        of somebody: SubjectID? = nil,
        approval: LoginLink.Approval? = nil
    ) async throws -> String {
        let stream = StreamID.timeOrdered(at: clock.now, from: entropy)
        let token = OpaqueToken(
            .authorizationCode,
            stream: stream,
            secret: entropy.bytes(32),
            digester: digester
        )
        let ticket = AuthorizationCode.Ticket(
            client: try Fixture.some(ClientID(client)),
            redirectURI: try Fixture.some(RedirectURI(Self.redirectURI)),
            redirectURIGiven: true,
            scope: try Fixture.some(Scope(scope)),
            secret: token.digest,
            codeChallenge: CodeChallenge(digest: digester.sha256(Array(Self.verifier.utf8))),
            subject: somebody ?? subject,
            authentication: Authentication(
                methods: [.otp],
                at: clock.now.wholeMilliseconds,
                approval: approval
            ),
            parent: Parent(kind: .authorization, stream: stream),
            browserSession: browser,
            renews: session,
            expiresAt: clock.now.adding(seconds: 60).wholeMilliseconds
        )
        try await run(AuthorizationCode.self, stream) { .issue(ticket) }
        return String(decoding: token.text, as: UTF8.self)
    }

    /// Redeems `code` with everything right unless told otherwise.
    package func redeem(
        _ code: String,
        by client: String = "app",
        verifier: String = verifier
    ) async throws -> TokenResponse {
        try await endpoint.respond(
            to: RequestParameters([
                "grant_type": "authorization_code", "code": code,
                "redirect_uri": Self.redirectURI, "code_verifier": verifier,
            ]),
            from: try caller(client)
        )
    }

    /// Refreshes with `token`.
    package func refresh(_ token: [UInt8]?, by client: String = "app", scope: String = "")
        async throws -> TokenResponse
    {
        try await endpoint.respond(
            to: RequestParameters([
                "grant_type": "refresh_token", "scope": scope,
                "refresh_token": String(decoding: token ?? [], as: UTF8.self),
            ]),
            from: try caller(client)
        )
    }

    /// Whether the introspection endpoint calls `token` active for its own client or a service.
    package func isActive(_ token: [UInt8]?, asked client: String = "api") async throws -> Bool {
        let answer = try await introspection.introspect(token ?? [], for: try caller(client))
        if case .active = answer { return true }
        return false
    }
}
