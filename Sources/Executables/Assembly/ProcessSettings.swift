package import Configuration

/// What a process reads from its file, and again at SIGHUP.
package protocol ProcessSettings: Sendable {
    /// What may change while the process runs: settings, and sections with all that they hold.
    static var changeable: [String] { get }
    /// What stood in the file, and in the environment.
    var values: SettingsValues { get }
    var node: NodeSettings { get }
    /// Who may operate it, among other things.
    var admin: AdminSettings { get }
    var kafka: KafkaSettings { get }
    var log: LogSettings { get }
    /// The files that they name.
    var startFiles: StartFiles { get }

    /// Reads everything.
    ///
    /// - Throws: all findings at once.
    init(_ document: SettingsDocument) throws(ConfigurationError)
}
