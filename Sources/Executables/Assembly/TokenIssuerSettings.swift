package import Configuration
package import Issuing
package import Persistence
package import WebAPI

/// What `token-issuer` reads from its file.
package struct TokenIssuerSettings: ProcessSettings {
    package static let changeable = [
        "log.level", "rate_limits", "mail", "admin.operators",
    ]

    package let values: SettingsValues
    package let node: NodeSettings
    package let listen: ListenSettings
    package let admin: AdminSettings
    package let database: DatabaseSettings
    package let kafka: KafkaSettings
    package let keys: KeySettings
    package let mail: MailSettings
    package let log: LogSettings
    /// Connections that append; 0 in the file chooses 2, or 1 with one loop.
    package let appendLanes: Int
    /// Bytes of cached aggregates.
    package let cacheBytesMax: Int
    /// The limits in memory that differ from the standard.
    package let rates: [RequestLimit: RequestLimit.Rate]
    package let mailLimits: MailLimits

    /// Reads everything.
    ///
    /// - Throws: all findings at once.
    package init(_ document: SettingsDocument) throws(ConfigurationError) {
        values = document.values
        let root = document.root
        node = NodeSettings(root, defaultName: "token-issuer")
        listen = ListenSettings(root)
        admin = AdminSettings(root)
        database = DatabaseSettings(root, defaultUser: "token_issuer")
        kafka = KafkaSettings(root)
        keys = KeySettings(root)
        mail = MailSettings(root)
        log = LogSettings(root)
        let limits = root.section(.limits)
        let lanes = limits.integer("append_lanes", in: 0...16, default: 0)
        appendLanes = lanes > 0 ? lanes : (node.loopCount == 1 ? 1 : 2)
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

    package var startFiles: StartFiles {
        StartFiles(listen, admin, database, kafka, mail: mail, keys: keys)
    }

    /// How the event log is used.
    package var eventStore: EventStoreSettings {
        EventStoreSettings(
            node: node.name,
            lanes: appendLanes,
            cacheBytesMax: cacheBytesMax
        )
    }
}
