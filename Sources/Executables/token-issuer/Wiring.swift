internal import Assembly
internal import Configuration
internal import Crypto
internal import Delivery
internal import Domain
internal import HTTPClient
internal import HTTPServer
internal import Issuing
internal import Kafka
internal import Messaging
internal import Persistence
internal import Postgres
internal import Runtime
internal import Signing
internal import WebAPI

/// Every object of `token-issuer`, made once and handed to what needs it.
struct Wiring: ProcessWiring {
    typealias Settings = TokenIssuerSettings

    let frame: ProcessFrame<TokenIssuerSettings>
    let connection: ConnectionSettings
    let gate: DatabaseGate
    let pulse: ServerPulse
    let database: Database
    let serverClock: ServerClock
    let logStore: PostgresEventStore
    let store: AnnouncingEventStore
    let waitingRoom = WaitingRoom()
    let endingWatch = EndingWatch()
    let clock: SystemClock
    let entropy = SystemEntropy()
    let rootReading: RootReading
    let digester: RootDigester
    let names: StreamNames
    let vault: SigningKeyVault
    let keyLoading: KeyLoading
    let signer: JWTSigner
    let phones = PhoneJWTReader()
    let seenProofs = SeenProofs()
    let sealer: EnvelopeSealer
    let documents: ProjectDocument
    let projects: ProjectCatalogue
    let commands: CommandRunner
    let limits: RequestLimits
    let operators: Operators
    let signInContext: SignInContext
    let mailQueue: PostgresMailQueue
    let transfers: TransferPool
    let mailSender: SMTPMailSender
    let mailLimits: Guarded<MailLimits>
    let mails: MailService
    let hints: HintReader

    static func loopNames(_ settings: TokenIssuerSettings) -> [String] {
        (0..<settings.node.loopCount).map { "worker-\($0)" }
    }

    init(_ frame: ProcessFrame<TokenIssuerSettings>) throws(Component.StartFailure) {
        self.frame = frame
        let (settings, isInsecureDev) = (frame.settings, frame.isInsecureDev)
        let (loops, blocking) = (frame.loops, frame.blocking)
        let (metrics, log) = (frame.metrics, frame.log)
        rootReading = try Self.rootReading(settings.keys, on: blocking, log)
        (digester, names) = (rootReading.digester, StreamNames(rootReading.digester))
        (connection, pulse) = try Self.connection(settings, on: loops[0], log)
        gate = Self.gate(settings, connection, names, isInsecureDev, on: loops[0], log)
        database = Database(connection, loops: loops)
        serverClock = ServerClock(database, on: loops[0], log: log)
        clock = SystemClock(serverClock)
        logStore = PostgresEventStore(
            settings.eventStore,
            connection: connection,
            database: database,
            loops: loops,
            names: names,
            digester: digester,
            metrics: PersistenceMetrics(metrics),
            log: log
        )
        let contexts = PostgresContextLog(database, metrics, log: log)
        store = AnnouncingEventStore(logStore, contexts: contexts) { [waitingRoom] in
            waitingRoom.changed($0)
        }
        vault = SigningKeyVault(rootReading.directory, on: blocking)
        (keyLoading, signer) = (KeyLoading(into: vault, log: log), JWTSigner(vault))
        sealer = EnvelopeSealer(rootReading.directory.encryption, PostgresSealingKeyStore(database))
        documents = ProjectDocument(isInsecureDevelopment: isInsecureDev)
        projects = ProjectCatalogue(store: store, documents: documents, names: names, log: log) {
            [keyLoading] in await keyLoading.load($0)
        }
        commands = CommandRunner(
            store: store,
            projects: projects,
            clock: clock,
            entropy: entropy,
            names: names,
            pause: clock
        )
        operators = Operators(Self.credentials(settings.admin), digester: digester)
        limits = RequestLimits(settings.rates, isForDevelopment: isInsecureDev, metrics: metrics)
        signInContext = SignInContext(
            commands: commands,
            digester: digester,
            sealer: sealer,
            contexts: contexts
        )
        (transfers, mailSender) = try Self.mailSender(settings.mail, clock, entropy)
        (mailQueue, mailLimits) = (PostgresMailQueue(database), Guarded(settings.mailLimits))
        let dispatch = MailDispatch(signInContext, mailQueue: mailQueue, sender: mailSender)
        mails = Self.mails(settings.mail, dispatch, clock, on: loops[0], metrics, log)
        let changed = Self.changed(logStore, projects, waitingRoom, clock, on: loops[0])
        hints = Self.hints(settings, blocking, on: loops[0], log, changed: changed)
    }

    private static func rootReading(
        _ settings: KeySettings,
        on blocking: BlockingExecutor,
        _ log: Log
    ) throws(Component.StartFailure) -> RootReading {
        do {
            let directory = try KeyDirectory.make(
                at: settings.directory,
                unlockedBy: KeyEncryptionKey.Source(settings.encryptionKey),
                beside: KeyEncryptionKey.Second(settings)
            )
            let secrets = try directory.rootSecrets()
            if !directory.isWritable {
                log.warning(
                    "keys.directory cannot be written: no key can be made on this node",
                    .field("path", settings.directory)
                )
            }
            return RootReading(secrets, in: directory, on: blocking, log: log)
        } catch {
            let code: ExitCode = error.isTemporary ? .temporaryFailure : .configuration
            throw Component.StartFailure(code, "keys: \(error)")
        }
    }

    private static func connection(
        _ settings: TokenIssuerSettings,
        on loop: Loop,
        _ log: Log
    ) throws(Component.StartFailure) -> (ConnectionSettings, ServerPulse) {
        var connection = try ConnectionSettings(settings.database, node: settings.node.name)
        let pulse = ServerPulse(connection, on: loop, log: log)
        connection.pulse = pulse
        return (connection, pulse)
    }

    private static func gate(
        _ settings: TokenIssuerSettings,
        _ connection: ConnectionSettings,
        _ names: StreamNames,
        _ isInsecureDev: Bool,
        on loop: Loop,
        _ log: Log
    ) -> DatabaseGate {
        settings.database.gate(
            connection,
            for: .issuing,
            isInsecureDev,
            firstProjects: [names.projectConfig(.first)],
            on: loop,
            log
        )
    }

    private static func mailSender(
        _ settings: MailSettings,
        _ clock: SystemClock,
        _ entropy: SystemEntropy
    ) throws(Component.StartFailure) -> (TransferPool, SMTPMailSender) {
        let transfers: TransferPool
        do { transfers = try TransferPool() } catch {
            throw Component.StartFailure(.failure, "mail.relay: \(error)")
        }
        let relay = try relay(settings, through: transfers)
        let sender = SMTPMailSender(
            relay.client,
            from: relay.sender,
            clock: clock,
            entropy: entropy
        )
        return (transfers, sender)
    }

    private static func mails(
        _ settings: MailSettings,
        _ dispatch: MailDispatch,
        _ clock: SystemClock,
        on loop: Loop,
        _ metrics: Metrics,
        _ log: Log
    ) -> MailService {
        MailService(
            dispatch,
            connections: settings.connections,
            clock: clock,
            on: loop,
            metrics,
            log: log
        )
    }

    /// The relay that takes the mails, and as whose they go out.
    static func relay(_ settings: MailSettings, through transfers: TransferPool)
        throws(Component.StartFailure) -> (client: SMTPClient, sender: EmailAddress)
    {
        guard let sender = EmailAddress(settings.sender.utf8) else {
            throw Component.StartFailure(.configuration, "mail.sender: not an address")
        }
        let password = try settings.passwordPath.map(Secret.inFile)
        do {
            let smtp = try SMTPSettings(
                host: settings.host,
                port: settings.port,
                protection: settings.isPlain ? .none : settings.port == 465 ? .tls : .startTLS,
                username: settings.username,
                password: password
            )
            return (SMTPClient(smtp, through: transfers), sender)
        } catch { throw Component.StartFailure(.configuration, "mail.relay: \(error)") }
    }
}
