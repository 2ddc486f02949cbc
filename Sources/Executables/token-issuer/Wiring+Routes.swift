internal import Assembly
internal import Configuration
internal import Delivery
internal import Domain
internal import HTTPServer
internal import Issuing
internal import Persistence
internal import Postgres
internal import Runtime
internal import Signing
internal import WebAPI

extension Wiring {
    /// The grant types this process offers.
    var grants: AllGrants {
        AllGrants(
            commands: commands,
            signer: signer,
            digester: digester,
            reader: phones,
            memory: seenProofs,
            pace: limits,
            sealer: sealer,
            mailQueue: mailQueue,
            mailIsDue: { mails.mailIsDue() }
        )
    }

    func publicAPI(_ endpoint: TokenEndpoint, _ observer: RequestObserver) -> PublicAPI {
        let snapshots = ProjectSnapshots(digester: digester, grantTypes: endpoint.names)
        return PublicAPI(
            Routes.tokenSide(tokenSide(endpoint, snapshots)) + Routes.signIn(signIn)
                + Routes.aheadOfBrowsers(signIn, clients: clients, grants: grants),
            projects: projects,
            snapshots: snapshots,
            intake: intake,
            observer: observer,
            clock: clock,
            isForDevelopment: isInsecureDev
        )
    }

    private var clients: ClientAuthentication {
        ClientAuthentication(digester: digester, assertions: AssertionVerifier(), clock: clock)
    }

    private var signIn: SignInServices {
        SignInServices(
            context: signInContext,
            signer: signer,
            links: RequestLoginLink(
                signInContext,
                // Development waits for nobody (Security 10).
                budget: MailBudget(
                    windows: PostgresRateWindows(database),
                    digester: digester,
                    limits: mailLimits.current.multiplied(by: isInsecureDev ? 100 : 1)
                ),
                mailQueue: mailQueue,
                mailIsDue: { mails.mailIsDue() }
            ),
            hints: waitingRoom,
            pause: clock,
            limits: limits,
            turns: WaitingLooks(loops: loops),
            proofs: grants.proofs
        )
    }

    private func tokenSide(_ endpoint: TokenEndpoint, _ snapshots: ProjectSnapshots)
        -> Routes.TokenSide
    {
        let liveness = Liveness(commands)
        return Routes.TokenSide(
            clients: clients,
            endpoint: endpoint,
            revocation: Revocation(commands: commands, signer: signer, digester: digester),
            introspection: Introspection(
                liveness: liveness,
                signer: signer,
                digester: digester,
                commands: commands
            ),
            userInfo: UserInfo(
                liveness: liveness,
                store: store,
                sealer: sealer,
                access: grants.access,
                clock: clock
            ),
            challenges: grants.challenges,
            userAccess: UserAccess(access: grants.access, liveness: liveness, clock: clock),
            biometricKeys: BiometricKeys(commands: commands, sealer: sealer),
            sessions: UserSessions(commands: commands, sealer: sealer),
            signer: signer,
            clock: clock,
            snapshots: snapshots,
            limits: limits,
            metrics: metrics
        )
    }
}

extension Wiring {
    var intake: Intake {
        Intake(
            proxies: TrustedProxies(settings.listen.trustedProxies),
            entropy: entropy,
            placeHeader: settings.listen.placeHeader
        )
    }

    func adminAPI(_ health: Health, _ observer: RequestObserver) -> AdminAPI {
        let keys = KeyAdministration(commands: commands, vault: vault)
        let subjects = SubjectAdministration(
            commands: commands,
            personalData: PostgresPersonalData(database)
        )
        let projects = ProjectAdministration(
            commands: commands,
            documents: documents,
            digester: digester,
            keys: keys,
            origins: PostgresProjectOrigins(database)
        )
        return AdminAPI(
            Routes.admin(
                directory: self.projects,
                projects: projects,
                history: ProjectHistory(changes: PostgresChangeLog(database)),
                keys: keys,
                subjects: subjects,
                sessions: SessionList(commands),
                devices: DeviceAdministration(commands: commands, sealer: sealer),
                consents: ConsentAdministration(commands: commands)
            ),
            operators: operators,
            projects: self.projects,
            clock: clock,
            health: health,
            limits: limits,
            intake: intake,
            observer: observer
        )
    }

    /// The operators as the admin API compares them.
    static func credentials(_ settings: AdminSettings) -> [Operators.Credential] {
        settings.operators.compactMap { entry in
            let proof: Operators.Proof? =
                switch entry.proof {
                case .token(let digest): TokenDigest(bytes: digest).map { .token($0) }
                case .certificate(let digest): TokenDigest(bytes: digest).map { .certificate($0) }
                }
            return proof.map { Operators.Credential(holder: entry.operatorName, proof: $0) }
        }
    }

    /// Alive when every loop turns; ready with a database, its projects and a key for all they
    /// sign.
    var health: Health {
        let projects = projects
        let database = database
        let (pulse, vault) = (pulse, vault)
        return frame.health([
            Health.Check("database") {
                guard database.isConnected else { return "no connection" }
                return pulse.isFrozen ? "it does not answer" : nil
            },
            Health.Check("schema") { [gate] in gate.problem },
            Health.Check("clock") { [serverClock] in serverClock.problem },
            Health.Check("projects") { projects.problem },
            Health.Check("ends") { [endingWatch] in endingWatch.problem },
            Health.Check("keys") {
                for project in projects.all {
                    let id = project.settings.id
                    if let missing = project.missingKeys.first {
                        return "project \(id): \(missing.finding)"
                    }
                    let unheld = project.signingKeys.first { !vault.holds($0.kid) }
                    guard let unheld else { continue }
                    return "project \(id): the private half of \(unheld.kid) is not here; "
                        + "restore its file in keys.directory"
                }
                return nil
            },
        ])
    }
}
