internal import Configuration
internal import Issuing
internal import Persistence
internal import Runtime
internal import WebAPI

/// What `token-issuer` reads from its file.
struct TokenIssuerSettings: Sendable {
    let node: NodeSettings
    let listen: ListenSettings
    let admin: AdminSettings
    let database: DatabaseSettings
    let kafka: KafkaSettings
    let keys: KeySettings
    let mail: MailSettings
    let log: LogSettings
    /// Connections that append; 0 in the file chooses 2, or 1 with one worker.
    let appendLanes: Int
    /// Bytes of cached aggregates.
    let cacheBytesMax: Int
    /// The limits in memory that differ from the standard.
    let rates: [RequestLimit: RequestLimit.Rate]
    let mailLimits: MailLimits

    /// Reads everything.
    ///
    /// - Throws: all findings at once.
    init(_ document: SettingsDocument) throws(ConfigurationError) {
        let root = document.root
        node = NodeSettings(root, defaultName: "token-issuer")
        listen = ListenSettings(root)
        admin = AdminSettings(root)
        database = DatabaseSettings(root, defaultUser: "token_issuer")
        kafka = KafkaSettings(root)
        keys = KeySettings(root)
        mail = MailSettings(root)
        log = LogSettings(root)
        let limits = root.section("limits")
        let lanes = limits.integer("append_lanes", in: 0...16, default: 0)
        appendLanes = lanes > 0 ? lanes : (node.workers == 1 ? 1 : 2)
        let megabytes = limits.integer("cache_megabytes", in: 8...16_384, default: 256)
        cacheBytesMax = megabytes * 1024 * 1024
        let rateLimits = RateLimitSettings(
            root,
            limits: RequestLimit.allCases.map(\.rawValue),
            mails: MailLimits.windows.map(\.name)
        )
        rates = RequestLimit.rates(perMinute: rateLimits.perMinute)
        mailLimits = MailLimits(rateLimits.mails)
        try document.finish()
    }

    /// How the event log is used.
    var eventStore: EventStoreSettings {
        EventStoreSettings(
            node: node.name,
            lanes: appendLanes,
            cacheBytesMax: cacheBytesMax
        )
    }
}
