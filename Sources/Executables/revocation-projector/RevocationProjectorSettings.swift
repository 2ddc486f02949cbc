internal import Configuration
internal import WebAPI

/// What `revocation-projector` reads from its file.
struct RevocationProjectorSettings: Sendable {
    let node: NodeSettings
    let listen: ListenSettings
    let admin: AdminSettings
    let database: DatabaseSettings
    let kafka: KafkaSettings
    let log: LogSettings
    /// Of the limits that its routes count, those that differ from the standard.
    let rates: [RequestLimit: RequestLimit.Rate]

    /// Reads everything.
    ///
    /// - Throws: all findings at once.
    init(_ document: SettingsDocument) throws(ConfigurationError) {
        let root = document.root
        node = NodeSettings(root, defaultName: "revocation-projector")
        listen = ListenSettings(root)
        admin = AdminSettings(root)
        database = DatabaseSettings(root, defaultUser: "projector")
        kafka = KafkaSettings(root)
        log = LogSettings(root)
        let limits = RateLimitSettings(root, limits: [RequestLimit.failedRequest.rawValue])
        rates = RequestLimit.rates(perMinute: limits.perMinute)
        try document.finish()
    }
}
