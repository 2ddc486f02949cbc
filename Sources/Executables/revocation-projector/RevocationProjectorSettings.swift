internal import Configuration

/// What `revocation-projector` reads from its file.
struct RevocationProjectorSettings: Sendable {
    let node: NodeSettings
    let listen: ListenSettings
    let admin: AdminSettings
    let database: DatabaseSettings
    let kafka: KafkaSettings
    let log: LogSettings

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
        try document.finish()
    }
}
