internal import Assembly
internal import Configuration
internal import HTTPServer
internal import Issuing
internal import Persistence
internal import Runtime
internal import Signing
internal import WebAPI

extension Wiring {
    func publicServer(_ observer: RequestObserver) -> HTTPServer {
        // Names no stream and keys nothing: a secret of this process alone will do.
        let digester = RootDigester(.generate())
        let route = RevocationFeedRoute(
            feed: PostgresRevocationFeed(database, bell: bell),
            access: feedAccess(digester),
            digester: digester,
            failures: FailureLimits(limits),
            pause: clock
        )
        var server = ServerSettings(
            name: "public",
            addresses: settings.listen.addresses,
            tls: TLSSettings(settings.listen)
        )
        let proxies = settings.listen.trustedProxies
        server.trustedProxies = proxies
        return HTTPServer(
            server,
            handler: PublicAPI(
                [route],
                projects: projects,
                snapshots: ProjectSnapshots(digester: digester, grantTypes: []),
                intake: Intake(proxies: TrustedProxies(proxies), entropy: SystemEntropy()),
                observer: observer,
                clock: clock,
                isForDevelopment: isInsecureDev
            ),
            loops: [loop],
            log: log,
            metrics: metrics
        )
    }

    /// A reader that asks again with each revocation may do so two hundred times a second: a proof
    /// is kept for 304 s.
    private static let proofsPerClientMax = 61_000

    /// A proof is good once at each projector; the digester's secret is this one's alone.
    private func feedAccess(_ digester: RootDigester) -> FeedAccess {
        FeedAccess(
            access: AccessProofs(
                verifier: TokenVerifier(JWTSigner(), projects: projects),
                proofs: DPoPProofs(
                    reader: PhoneJWTReader(),
                    digester: digester,
                    clock: clock,
                    asksForNonces: false
                ),
                memory: SeenProofs(perHolderMax: Self.proofsPerClientMax, leavesRoom: true),
                clock: clock
            ),
            projects: projects
        )
    }

    var health: Health {
        frame.health([
            Health.Check("database") { [database] in
                database.isConnected ? nil : "no connection"
            },
            Health.Check("schema") { [gate] in gate.problem },
            Health.Check("clock") { [serverClock] in serverClock.problem },
            Health.Check("projects") { [projects] in projects.problem },
            Health.Check("projection") { [service] in service.problem },
        ])
    }
}
