package import Configuration
package import WebAPI

/// What `revocation-projector` reads from its file.
package struct RevocationProjectorSettings: ProcessSettings {
    package static let changeable = ["log.level", "rate_limits"]

    package let values: SettingsValues
    package let node: NodeSettings
    package let listen: ListenSettings
    package let admin: AdminSettings
    package let database: DatabaseSettings
    package let kafka: KafkaSettings
    package let log: LogSettings
    /// Of the limits that its routes count, those that differ from the standard.
    package let rates: [RequestLimit: RequestLimit.Rate]

    /// Reads everything.
    ///
    /// - Throws: all findings at once.
    package init(_ document: SettingsDocument) throws(ConfigurationError) {
        values = document.values
        let root = document.root
        node = NodeSettings(root, defaultName: "revocation-projector")
        listen = ListenSettings(root)
        let section = root.section(.listen)
        for key in ["inner", "place_header"] where section.has(key) {
            section.report(key, "is token-issuer's: nothing here uses it")
        }
        admin = AdminSettings(root, hasAPI: false)
        database = DatabaseSettings(root, defaultUser: "projector")
        kafka = KafkaSettings(root)
        log = LogSettings(root)
        let limits = RateLimitSettings(root, limits: [RequestLimit.failedRequest.rawValue])
        rates = RequestLimit.rates(perMinute: limits.perMinute)
        try document.finish()
    }

    package var startFiles: StartFiles { StartFiles(listen, admin, database, kafka) }
}
