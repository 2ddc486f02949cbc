import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import Signing
import WebAPI

/// The services of a process over a store in which nothing moves.
extension World {
    var refresh: OfflineGrant.Refresh {
        Self.refresh(token, token.successor(digester), client, scope)
    }

    var refreshBody: [UInt8] {
        Array("grant_type=refresh_token&client_id=app&refresh_token=".utf8) + token.text
    }

    var refreshRequest: WebAPI.Request {
        request(
            .post,
            "/oauth2/token",
            ["content-type": "application/x-www-form-urlencoded"],
            refreshBody
        )
    }

    var discoveryRequest: WebAPI.Request { request(.get, "/.well-known/openid-configuration") }

    var challengeRequest: WebAPI.Request {
        request(
            .post,
            "/oauth2/challenge",
            ["content-type": "application/json"],
            Array(#"{"purpose":"app2app_request"}"#.utf8)
        )
    }

    /// The user's address is asked for, by a token of `scope` for the issuer itself.
    func userInfoRequest() throws -> WebAPI.Request {
        var claims = claims
        claims.audience = [project.issuer]
        claims.scope = try Self.some(Scope("openid email"))
        let token = try signer.sign(claims, for: project)
        let bearer = "Bearer " + String(decoding: token, as: UTF8.self)
        return request(.get, "/oauth2/userinfo", ["authorization": bearer])
    }

    func request(
        _ method: WebAPI.Method,
        _ path: String,
        _ headers: KeyValuePairs<String, String> = [:],
        _ body: [UInt8] = []
    ) -> WebAPI.Request {
        WebAPI.Request(
            method: method,
            path: path,
            host: "auth.example.com",
            headers: RequestHeaders(headers),
            body: body,
            client: ClientAddress(.loopback(port: 1)),
            id: RequestID(subject.stream),
            deadline: Self.deadline
        )
    }

    var claims: AccessTokenClaims {
        AccessTokenClaims(
            token: TokenID(subject.stream),
            subject: subject.stream.description,
            client: client,
            audience: ["https://api.example.com"],
            scope: scope,
            issuedAt: Self.now,
            expiresAt: Self.now.adding(seconds: 900).wholeMilliseconds,
            session: grant,
            authentication: Authentication(methods: [.otp], at: Self.now)
        )
    }

    func caller() throws -> Caller {
        Caller(
            project: project,
            client: try Self.some(project.enabledClient(client)),
            deadline: Self.deadline
        )
    }

    private func commands() throws -> CommandRunner {
        CommandRunner(
            store: try stillStore(),
            projects: projects,
            clock: clock,
            entropy: entropy,
            names: StreamNames(digester),
            pause: clock
        )
    }

    private func liveness() throws -> Liveness {
        Liveness(
            store: try stillStore(),
            projects: projects,
            clock: clock,
            names: StreamNames(digester)
        )
    }

    func introspection() throws -> Introspection {
        Introspection(
            liveness: try liveness(),
            signer: signer,
            digester: digester,
            commands: try commands()
        )
    }

    var proofs: DPoPProofs {
        DPoPProofs(reader: PhoneJWTReader(), digester: digester, clock: clock)
    }

    private var access: AccessProofs {
        AccessProofs(
            verifier: TokenVerifier(signer, projects: projects),
            proofs: proofs,
            memory: InMemoryProofs(),
            clock: clock
        )
    }

    func api() throws -> PublicAPI {
        let commands = try commands()
        let metrics = Metrics()
        let issuance = TokenIssuance(signer)
        let grant = RefreshTokenGrant(commands: commands, issuance: issuance, digester: digester)
        let types = [grant, biometricGrant(commands, issuance), exchangeGrant(commands, issuance)]
        let endpoint = TokenEndpoint(types, proofs: proofs, signer: signer)
        let snapshots = ProjectSnapshots(digester: digester, grantTypes: endpoint.names)
        return PublicAPI(
            Routes.tokenSide(try services(commands, endpoint, snapshots, metrics)),
            projects: projects,
            snapshots: snapshots,
            intake: Intake(proxies: TrustedProxies(), entropy: entropy),
            observer: RequestObserver(metrics: metrics, log: .discarding),
            clock: clock
        )
    }

    private func biometricGrant(_ commands: CommandRunner, _ issuance: TokenIssuance)
        -> any GrantType
    {
        let challenges = Challenges(digester: digester, clock: clock, entropy: entropy)
        return BiometricRequestGrant(
            commands: commands,
            issuance: issuance,
            digester: digester,
            devices: DeviceProofs(reader: PhoneJWTReader(), challenges: challenges),
            access: access,
            pace: AnyPace(),
            sealer: sealer,
            mailQueue: InMemoryMailQueue(clock: clock),
            mailIsDue: {}
        )
    }

    private func exchangeGrant(_ commands: CommandRunner, _ issuance: TokenIssuance)
        -> any GrantType
    {
        TokenExchangeGrant(
            commands: commands,
            issuance: issuance,
            signer: signer,
            digester: digester
        )
    }

    private func services(
        _ commands: CommandRunner,
        _ endpoint: TokenEndpoint,
        _ snapshots: ProjectSnapshots,
        _ metrics: Metrics
    ) throws -> Routes.TokenSide {
        Routes.TokenSide(
            clients: ClientAuthentication(
                digester: digester,
                assertions: NoAssertions(),
                clock: clock
            ),
            endpoint: endpoint,
            revocation: Revocation(commands: commands, signer: signer, digester: digester),
            introspection: try introspection(),
            userInfo: UserInfo(
                liveness: try liveness(),
                store: try stillStore(),
                sealer: sealer,
                access: access,
                clock: clock
            ),
            challenges: Challenges(digester: digester, clock: clock, entropy: entropy),
            userAccess: UserAccess(access: access, liveness: try liveness(), clock: clock),
            biometricKeys: BiometricKeys(commands: commands, sealer: sealer),
            sessions: UserSessions(commands: commands, sealer: sealer),
            signer: signer,
            clock: clock,
            snapshots: snapshots,
            limits: RequestLimits(metrics: metrics, clock: Self.minuteByMinute()),
            metrics: metrics
        )
    }

    /// A clock by which nobody is ever too fast.
    private static func minuteByMinute() -> @Sendable () -> UInt64 {
        let minutes = Guarded<UInt64>(1)
        return {
            minutes.withLock { minutes in
                minutes += 1
                return minutes * 60_000_000_000
            }
        }
    }
}

/// Nobody authenticates by assertion here.
private struct NoAssertions: ClientAssertionVerifier {
    func verify(
        _ assertion: [UInt8],
        of client: ClientSettings,
        audiences: Set<String>,
        at now: Instant
    ) -> VerifiedAssertion? { nil }

    func claimedSubject(of assertion: [UInt8]) -> ClientID? { nil }
}
