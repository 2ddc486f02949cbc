import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import Signing
import TestSupport
import WebAPI

/// The public listener's token side over twins in memory.
struct WebSide: Sendable {
    let side: TokenSide
    let metrics = Metrics()
    let api: PublicAPI
    let services: Routes.TokenSide
    let pages: SignInServices
    let contexts = InMemoryContextLog()
    /// Where all requests come from.
    var client = ClientAddress(.loopback(port: 1))

    init(
        limits rates: [RequestLimit: RequestLimit.Rate] = [:],
        project: Project? = nil,
        signer: any TokenSigner = StandInSigner(),
        keys: SigningKeyRing.State = .init()
    ) async throws {
        let side = try await TokenSide(reading: PhoneJWTReader(), signer: signer, keys: keys)
        if let project { side.projects.replace(project) }
        self.side = side
        let snapshots = ProjectSnapshots(
            digester: side.digester,
            grantTypes: side.endpoint.names
        )
        let limits = RequestLimits(rates, metrics: metrics, by: side.clock)
        let services = Self.services(of: side, snapshots, limits, metrics)
        let pages = Self.pages(of: side, limits, contexts)
        self.services = services
        self.pages = pages
        api = PublicAPI(
            Routes.tokenSide(services) + Routes.signIn(pages)
                + Routes.aheadOfBrowsers(
                    pages,
                    clients: services.clients,
                    grants: side.grants
                ),
            projects: side.projects,
            snapshots: snapshots,
            intake: Intake(proxies: TrustedProxies(), entropy: side.entropy),
            observer: RequestObserver(metrics: metrics, log: RefusalLog.shared.log),
            clock: side.clock
        )
    }

    private static func services(
        of side: TokenSide,
        _ snapshots: ProjectSnapshots,
        _ limits: RequestLimits,
        _ metrics: Metrics
    ) -> Routes.TokenSide {
        Routes.TokenSide(
            clients: ClientAuthentication(
                digester: side.digester,
                assertions: NoAssertions(),
                clock: side.clock
            ),
            endpoint: side.grants(running: side.commands, pace: limits).endpoint,
            revocation: side.revocation,
            introspection: side.introspection,
            userInfo: UserInfo(
                liveness: side.liveness,
                store: side.store,
                sealer: side.sealer,
                access: AccessProofs(
                    verifier: TokenVerifier(side.signer, projects: side.projects),
                    proofs: side.grants.proofs,
                    memory: SeenProofs(),
                    clock: side.clock
                ),
                clock: side.clock
            ),
            challenges: side.challenges,
            userAccess: UserAccess(
                access: side.access,
                liveness: side.liveness,
                clock: side.clock
            ),
            biometricKeys: Self.keys(of: side),
            sessions: UserSessions(commands: side.commands, sealer: side.sealer),
            signer: side.signer,
            clock: side.clock,
            snapshots: snapshots,
            limits: limits,
            metrics: metrics
        )
    }

    private static func keys(of side: TokenSide) -> BiometricKeys {
        BiometricKeys(commands: side.commands, sealer: side.sealer)
    }

    private static func pages(
        of side: TokenSide,
        _ limits: RequestLimits,
        _ contexts: InMemoryContextLog
    ) -> SignInServices {
        let context = Self.context(of: side, contexts)
        return SignInServices(
            context: context,
            signer: side.signer,
            links: RequestLoginLink(
                context,
                budget: MailBudget(
                    windows: InMemoryWindows(),
                    digester: side.digester,
                    limits: MailLimits()
                ),
                mailQueue: side.mailQueue,
                mailIsDue: {}
            ),
            hints: InMemoryStreamHints(),
            pause: side.clock,
            limits: limits
        )
    }

    private static func context(of side: TokenSide, _ contexts: InMemoryContextLog)
        -> SignInContext
    {
        SignInContext(
            commands: side.commands,
            digester: side.digester,
            sealer: side.sealer,
            contexts: contexts
        )
    }

    /// Sends what is due.
    func sendMails() async throws {
        let mails = MailDispatch(
            Self.context(of: side, contexts),
            mailQueue: side.mailQueue,
            sender: side.mailQueue
        )
        _ = try await mails.run(by: Fixture.noDeadline)
    }

    static let form = "application/x-www-form-urlencoded"

    func send(
        _ method: WebAPI.Method,
        _ target: String,
        host: String = "auth.example.com",
        headers: KeyValuePairs<String, String> = [:],
        fields: [(String, String)] = [],
        body: [UInt8] = []
    ) async throws -> Answer {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let request = WebAPI.Request(
            method: method,
            path: parts[0],
            query: parts.count > 1 ? Array(parts[1].utf8) : [],
            host: host,
            headers: RequestHeaders(
                Fields(headers.map { (name: $0.key, value: $0.value) } + fields)
            ),
            body: body,
            client: client,
            id: .drawn(),
            deadline: Fixture.noDeadline
        )
        let response = await api.respond(to: request)
        return Answer(
            status: response.status.rawValue,
            body: String(decoding: response.body, as: UTF8.self),
            field: response.values
        )
    }

    /// Posts a form.
    func post(_ path: String, _ form: String, _ headers: KeyValuePairs<String, String> = [:])
        async throws -> Answer
    {
        try await post(path, bytes: Array(form.utf8), headers)
    }

    func post(
        _ path: String,
        bytes: [UInt8],
        _ headers: KeyValuePairs<String, String> = [:]
    ) async throws -> Answer {
        var all: [(String, String)] = headers.map { ($0.key, $0.value) }
        if !all.contains(where: { $0.0 == "content-type" }) {
            all.append(("content-type", Self.form))
        }
        let request = WebAPI.Request(
            method: .post,
            path: path,
            host: "auth.example.com",
            headers: RequestHeaders(Fields(all.map { (name: $0.0, value: $0.1) })),
            body: bytes,
            client: client,
            id: .drawn(),
            deadline: Fixture.noDeadline
        )
        let response = await api.respond(to: request)
        return Answer(
            status: response.status.rawValue,
            body: String(decoding: response.body, as: UTF8.self),
            field: response.values
        )
    }

    var commits: Int { side.store.commits.count }

    /// Another user of the project.
    func somebodyElse() async throws -> SubjectID {
        let subject = SubjectID(.permanent(at: side.clock.now, from: side.entropy))
        let key = try await side.sealer.key(
            subject.stream,
            of: side.project.number,
            by: Fixture.noDeadline
        )
        let email = key.seal(Array("b@example.com".utf8), as: .email(of: subject))
        try await side.run(Subject.self, subject.stream) {
            .register(source: .loginLink, email: email, emailVerified: true, at: side.clock.now)
        }
        return subject
    }
}

/// What came back, easy to look at.
struct Answer {
    let status: Int
    let body: String
    let field: (String) -> [String]

    /// The member `error` of form A.
    var error: String? {
        (try? JSONReader.read(Array(body.utf8)))?["error"]?.string
    }

    subscript(member: String) -> JSON? { (try? JSONReader.read(Array(body.utf8)))?[member] }
}

extension RequestID {
    /// One by which the log is searched.
    static func drawn() -> Self {
        Self(StreamID(high: .random(in: 0...(.max)), low: .random(in: 0...(.max))))
    }
}

/// Holds no assertion to be good; each says that it is of the client that its text names.
struct NoAssertions: ClientAssertionVerifier {
    func verify(
        _ assertion: [UInt8],
        of client: ClientSettings,
        audiences: Set<String>,
        at now: Instant
    ) -> VerifiedAssertion? { nil }

    func claimedSubject(of assertion: [UInt8]) -> ClientID? { ClientID(assertion) }
}
