import Configuration
import Runtime

/// The file behind `--config`: where the database and the brokers are, for commands that open them.
///
/// A process's own file serves too; what only that process reads is passed over.
struct OperatorSettings: Sendable {
    /// Where the file is looked for when none is named.
    static let usualPaths = ["/etc/chancery/operator.yaml", ".chancery/config/operator.yaml"]

    let path: String
    let database: DatabaseSettings
    let kafka: KafkaSettings
    /// What only `--insecure-dev` allows of them.
    let allowed: [Finding]

    /// Reads the file asked for, or the first usual one that exists; `isInsecureDev` when it is
    /// that of a stack for development.
    init(_ named: String?, isInsecureDev: Bool) throws(CommandFailure) {
        let file = try SettingsFile(named, usual: Self.usualPaths)
        path = file.path
        do throws(ConfigurationError) {
            (database, kafka) = try Self.read(file, isInsecureDev: isInsecureDev)
            allowed = isInsecureDev ? Self.refusals(file) : []
        } catch { throw file.failure(error) }
    }

    private static func read(_ file: SettingsFile, isInsecureDev: Bool)
        throws(ConfigurationError) -> (DatabaseSettings, KafkaSettings)
    {
        try file.read([.database, .kafka], isInsecureDev: isInsecureDev) { root in
            (DatabaseSettings(root, defaultUser: "migrator"), KafkaSettings(root))
        }
    }

    private static func refusals(_ file: SettingsFile) -> [Finding] {
        do throws(ConfigurationError) {
            _ = try read(file, isInsecureDev: false)
            return []
        } catch { return error.findings }
    }

    /// The database, as the user of the settings or as another.
    func address(user: String? = nil) throws(CommandFailure) -> DatabaseAddress {
        try DatabaseAddress(database, as: user)
    }
}
