import Domain
import InMemory
import Issuing

/// What is in the log before anything goes wrong.
struct SetUp: Sendable {
    private let installation: Installation

    init(_ installation: Installation) { self.installation = installation }

    func make(for clients: Clients) async -> Apps? {
        let node = installation.issuers[0]
        if let keys = KeyOperator(clients), !(await keys.setUp(at: node)) { return nil }
        let now = node.clock.now
        let entropy = SeededEntropy(seed: installation.world.seed ^ 0x5E)
        let subject = SubjectID(.permanent(at: now, from: entropy))
        let browser = SessionID(.timeOrdered(at: now, from: entropy))
        let configuration = installation.project(version: 0).configuration.stream
        installation.checks.log.issuance.configuration = configuration
        installation.checks.log.issuance.cascading = installation.cascading
        installation.checks.log.issuance.consent = installation.consent
        let applied = ProjectConfig.Applied(
            id: installation.projectID,
            digest: installation.digest(of: 1),
            document: [1]
        )
        let email = Sealed(bytes: Array("a@example.com".utf8))
        let session = BrowserSession.Session(
            subject: subject,
            authentication: Authentication(methods: [.otp], at: now.wholeMilliseconds),
            cookie: installation.digester.sha256(Array("cookie".utf8)),
            parent: Parent(kind: .loginLink, stream: subject.stream),
            openedAt: now,
            expiresAt: now.adding(seconds: 2_592_000).wholeMilliseconds,
            idleMilliseconds: 604_800_000
        )
        let isDone = await node.run(ProjectConfig.self, configuration) { _ in
            .apply(applied, expected: nil, changed: [])
        }
        guard isDone,
            await node.run(
                Subject.self,
                subject.stream,
                { _ in .register(source: .loginLink, email: email, emailVerified: true, at: now) }
            ),
            await node.run(BrowserSession.self, browser.stream, { _ in .open(session) })
        else { return nil }
        for (client, isBound) in [("app", true), ("app", false), ("web", true)] {
            let code = Code(client: client, browser: isBound ? browser : nil)
            guard let lineage = await issue(code, of: subject, at: node, from: entropy) else {
                return nil
            }
            clients.model.lineages.append(lineage)
        }
        var apps = Apps(clients, subject: subject, browser: browser)
        guard let phones = await PhoneSetUp.make(for: clients) else { return nil }
        apps.phones = phones
        return apps
    }

    private struct Code {
        var client: String
        var browser: SessionID?
    }

    private func issue(
        _ code: Code,
        of subject: SubjectID,
        at node: IssuerProcess,
        from entropy: SeededEntropy
    ) async -> Lineage? {
        let now = node.clock.now
        let digester = installation.digester
        let stream = StreamID.timeOrdered(at: now, from: entropy)
        let token = OpaqueToken(
            .authorizationCode,
            stream: stream,
            secret: entropy.bytes(32),
            digester: digester
        )
        guard let client = ClientID(code.client), let uri = RedirectURI(Fixtures.redirectURI),
            let scope = Scope("openid offline_access email")
        else { return nil }
        let challenge = digester.sha256(Array(Clients.verifier.utf8))
        let ticket = AuthorizationCode.Ticket(
            client: client,
            redirectURI: uri,
            redirectURIGiven: true,
            scope: scope,
            secret: token.digest,
            codeChallenge: CodeChallenge(digest: challenge),
            subject: subject,
            authentication: Authentication(methods: [.otp], at: now.wholeMilliseconds),
            parent: Parent(kind: .authorization, stream: stream),
            browserSession: code.browser,
            expiresAt: now.adding(seconds: 60).wholeMilliseconds
        )
        guard await node.run(AuthorizationCode.self, stream, { _ in .issue(ticket) }) else {
            return nil
        }
        return Lineage(
            client: code.client,
            code: token.text,
            scope: scope.text,
            isBound: code.browser != nil,
            isOwned: true,
            rotates: code.client.utf8.elementsEqual("app".utf8),
            issuedAt: installation.world.nanoseconds
        )
    }
}
