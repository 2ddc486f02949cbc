package import Configuration

/// What `event-relay` reads from its file.
package struct EventRelaySettings: ProcessSettings {
    package static let changeable = ["log.level"]

    package let values: SettingsValues
    package let node: NodeSettings
    package let admin: AdminSettings
    package let database: DatabaseSettings
    package let kafka: KafkaSettings
    package let log: LogSettings
    /// Where a cluster that does not have the log begins to get it: 0, or a number its readers
    /// have already from a snapshot.
    package let replayStart: Int64

    /// Reads everything.
    ///
    /// - Throws: all findings at once.
    package init(_ document: SettingsDocument) throws(ConfigurationError) {
        values = document.values
        let root = document.root
        node = NodeSettings(root, defaultName: "event-relay")
        admin = AdminSettings(root, hasAPI: false)
        database = DatabaseSettings(root, defaultUser: "event_relay")
        kafka = KafkaSettings(root)
        log = LogSettings(root)
        let relay = root.section(.relay)
        replayStart = Int64(relay.integer("replay_from_index", in: 0...Int.max, default: 0))
        if !root.section(.listen).strings("public").isEmpty {
            root.section(.listen).report("public", "event-relay serves nobody: leave it out")
        }
        try document.finish()
    }

    package var startFiles: StartFiles { StartFiles(nil, admin, database, kafka) }
}
