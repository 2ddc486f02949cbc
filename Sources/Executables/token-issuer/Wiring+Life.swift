internal import Assembly
internal import Configuration
internal import Delivery
internal import Domain
internal import HTTPServer
internal import Issuing
internal import Messaging
internal import Persistence
internal import Postgres
internal import Runtime
internal import Signing
internal import WebAPI

extension Wiring {
    /// How often everything is read again in case a hint was lost (Architecture 10).
    private static let refreshInterval = Duration.seconds(5)
    private static let checkMax = Duration.seconds(2)

    func components() -> [Component] {
        let observer = RequestObserver(metrics: metrics, log: log)
        frame.publishMetrics()
        IssuerMetrics.publish(projects, rootReading, to: metrics)
        logStore.publish(to: metrics)
        serverClock.publish(to: metrics)
        let health = health
        let publicServer = publicServer(observer)
        let adminServer = frame.adminServer(adminAPI(health, observer))
        return [
            topics.component(on: loop) { frame.end(.configuration) },
            gate.component,
            projectsComponent(),
            Component("mails", stop: { await mails.finish() }),
            .health(health, ending: adminServer),
            // They listen last, when all is there.
            .listener("inner", innerServer(observer), reloadingOn: blocking),
            .listener("public", publicServer, reloadingOn: blocking),
            waiting,
            .listener("admin", adminServer, reloadingOn: blocking, drains: false),
            frame.settingsComponent {
                (new: TokenIssuerSettings) throws(Component.ReloadFailure) in try take(new)
            },
            maintenance,
        ]
    }

    /// The database, and the projects in it; without a database the process waits unready.
    ///
    /// `refusesUnread`: a document that cannot be read, or a key that is not there, is a reason not
    /// to start. A process that is to serve starts all the same: only one that runs can be given
    /// another.
    func projectsComponent(refusesUnread: Bool = false) -> Component {
        Component(
            "projects",
            start: { () async throws(Component.StartFailure) in
                pulse.start()
                database.onAnotherServer { [projects] in projects.beginServer() }
                database.start()
                logStore.start()
                // Unready, but alive, while there is no database.
                await readProjects()
                if refusesUnread, gate.problem == nil { await readProjectsPatiently() }
                await serverClock.look()
                try await checkProjects(refusesUnread: refusesUnread)
            },
            stop: {
                logStore.stop()
                database.stop()
                pulse.stop()
            }
        )
    }

    /// Pages that wait for an approval are answered as the process takes no more of them.
    private var waiting: Component {
        Component("waiting pages", stop: { waitingRoom.close() })
    }

    /// What is known of the projects must let this process serve them.
    private func checkProjects(refusesUnread: Bool) async throws(Component.StartFailure) {
        var lines = refusesUnread ? projects.unserved : projects.refused
        for project in projects.all {
            let unheld = await keyLoading.load(project.keys)
            // No refusal: only a running process can make the key.
            for key in project.missingKeys {
                log.error(
                    "a project cannot sign",
                    .field("project", project.settings.id.text),
                    .field("finding", key.finding)
                )
            }
            lines += ProjectStart(project, unheld: unheld)
                .refusals(isInsecureDev: isInsecureDev, isCheck: refusesUnread)
        }
        guard lines.isEmpty else {
            throw Component.StartFailure(.configuration, lines.joined(separator: "; "))
        }
        // One that is away was said; of one that answers without them nothing was looked at.
        if refusesUnread, !projects.isRead, gate.problem == nil {
            throw Component.StartFailure(
                .temporaryFailure,
                "the projects could not be read in time, so nothing was said of them: ask again; "
                    + "chancery doctor says what holds up the database"
            )
        }
    }

    /// Takes what may change while the process runs: all of it, or nothing.
    private func take(_ new: TokenIssuerSettings) throws(Component.ReloadFailure) {
        do throws(Component.StartFailure) {
            let relay = try Self.relay(new.mail, through: transfers)
            mailSender.use(relay.client, from: relay.sender)
        } catch { throw Component.ReloadFailure(error.reason) }
        mails.use(connections: new.mail.connections)
        limits.replace(rates: new.rates)
        mailLimits.replace(with: new.mailLimits)
        operators.replace(with: Self.credentials(new.admin))
    }

    private var maintenance: Component {
        Component(
            "maintenance",
            start: {
                guard let loop = Loop.current else { return }
                loop.spawn { await refreshProjects(on: loop) }
                loop.spawn { await readKeysAgain(on: loop) }
                loop.spawn { await maintainTables(on: loop) }
                if let keyRewrapping { loop.spawn { await keyRewrapping.run(on: loop) } }
                loop.spawn { await endings.run() }
                loop.spawn { await hints.run() }
                loop.spawn { await serverClock.run() }
                mails.start()
            },
            // No mail is begun while requests drain; `mails` waits for those on their way.
            stop: { mails.end() }
        )
    }

    private var keyRewrapping: KeyRewrapping? {
        KeyRewrapping(
            rootReading.directory,
            SealingKeyRewrap(sealer, PostgresWrappedKeys(database), pause: clock),
            blocking,
            clock,
            metrics,
            log: log
        )
    }

    private var endings: EndingService {
        let ends = PostgresEndingLog(database)
        let progress = Guarded(EndingProgress())
        database.onAnotherServer { progress.withLock { $0.beginServer() } }
        return EndingService(
            FinishEndings(
                ends,
                commands: commands,
                personalData: PostgresPersonalData(database),
                pause: clock
            ),
            of: ends,
            progress: progress,
            watch: endingWatch,
            clock: clock,
            on: loops[0],
            metrics: metrics,
            log: log
        )
    }

    private func refreshProjects(on loop: Loop) async {
        while !loop.isStopping {
            try? await loop.sleep(until: loop.now.advanced(by: projects.pause))
            await readProjects(isQuiet: projects.pause < Self.refreshInterval)
        }
    }

    /// `isQuiet`: it was said before that they cannot be read.
    private func readProjects(isQuiet: Bool = false) async {
        do { try await projects.refresh(by: clock.deadline(inMilliseconds: 2_000)) } catch {
            guard !isQuiet else { return }
            log.warning("projects cannot be read now", .field("error", "\(error)"))
        }
    }

    /// Until they were read, a few seconds at most: a check has no second look.
    private func readProjectsPatiently() async {
        let limit = MonotonicInstant.now().advanced(by: Self.checkMax)
        while !projects.isRead, MonotonicInstant.now() < limit {
            try? await loops[0].sleep(until: .now().advanced(by: projects.pause))
            await readProjects(isQuiet: true)
        }
    }

    /// By itself: a disk that hangs must keep no project from being read.
    private func readKeysAgain(on loop: Loop) async {
        while !loop.isStopping {
            try? await loop.sleep(until: loop.now.advanced(by: Self.refreshInterval))
            for project in projects.all { await keyLoading.load(project.keys) }
            await rootReading.read()
        }
    }

    private func maintainTables(on loop: Loop) async {
        let tables = PostgresMaintenance(database, by: serverClock, metrics)
        while !loop.isStopping {
            let outcome = await tables.run(by: clock.deadline(inMilliseconds: 30_000))
            outcome.tell(log)
            let pause = outcome.failures.isEmpty ? Duration.seconds(3600) : .seconds(60)
            try? await loop.sleep(until: loop.now.advanced(by: pause))
        }
    }

    private func publicServer(_ observer: RequestObserver) -> HTTPServer {
        let listen = settings.listen
        var server = ServerSettings(
            name: "public",
            addresses: listen.addresses,
            tls: TLSSettings(listen)
        )
        server.trustedProxies = listen.trustedProxies
        return HTTPServer(
            server,
            handler: publicAPI(grants.endpoint, observer),
            loops: loops,
            log: log,
            metrics: metrics
        )
    }

    private func innerServer(_ observer: RequestObserver) -> HTTPServer? {
        guard let path = settings.listen.innerPath, let address = SocketAddress.local(path) else {
            return nil
        }
        let signing = InnerSigning(signer: signer, clock: clock, entropy: entropy)
        let route = InnerSignRoute(signing: signing, projects: projects)
        return HTTPServer(
            ServerSettings(name: "inner", addresses: [address]),
            handler: InnerAPI([route], intake: intake, observer: observer, clock: clock),
            loops: [loop],
            log: log,
            metrics: metrics
        )
    }
}
