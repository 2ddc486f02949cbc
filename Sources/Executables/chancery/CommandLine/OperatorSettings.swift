import Configuration
import Runtime

/// The file behind `--config`: where the database and the brokers are, for commands that open them.
///
/// A process's own file serves too; what only that process reads is passed over.
struct OperatorSettings: Sendable {
    /// Where the file is looked for when none is named.
    static let usualPaths = ["/etc/chancery/operator.yaml", ".chancery/config/operator.yaml"]
    private static let bytesMax = 1 << 20

    let path: String
    let database: DatabaseSettings
    let kafka: KafkaSettings
    /// What only `--insecure-dev` allows of them.
    let allowed: [Configuration.Finding]

    /// Reads the file asked for, or the first usual one that exists; `isInsecureDev` when it is
    /// that of a stack for development.
    init(_ named: String?, isInsecureDev: Bool) throws(CommandFailure) {
        guard let path = named ?? Self.usualPaths.first(where: Files.exists) else {
            throw CommandFailure(
                "there is no settings file",
                remedy: "Name one with --config, or make \(Self.usualPaths[0]).",
                status: 78
            )
        }
        self.path = path
        let bytes: [UInt8]
        do { bytes = try FileReading.bytes(at: path, bytesMax: Self.bytesMax) } catch {
            throw CommandFailure("cannot read \(path): \(error)", status: 78)
        }
        do throws(ConfigurationError) {
            (database, kafka) = try Self.read(bytes, isInsecureDev: isInsecureDev)
            allowed = isInsecureDev ? Self.refusals(bytes) : []
        } catch {
            let lines = error.findings.map { $0.line(in: path) }
            throw CommandFailure(lines.joined(separator: "\n"), status: 78)
        }
    }

    private static func read(_ bytes: [UInt8], isInsecureDev: Bool) throws(ConfigurationError)
        -> (DatabaseSettings, KafkaSettings)
    {
        let document = try SettingsDocument(
            bytes,
            environment: Environment.all(),
            isInsecureDev: isInsecureDev
        )
        document.root.ignore(allBut: [.database, .kafka])
        let database = DatabaseSettings(document.root, defaultUser: "migrator")
        let kafka = KafkaSettings(document.root)
        try document.finish()
        return (database, kafka)
    }

    private static func refusals(_ bytes: [UInt8]) -> [Configuration.Finding] {
        do throws(ConfigurationError) {
            _ = try read(bytes, isInsecureDev: false)
            return []
        } catch { return error.findings }
    }

    /// The database, as the user of the settings or as another.
    func address(user: String? = nil) throws(CommandFailure) -> DatabaseAddress {
        try DatabaseAddress(database, as: user)
    }
}
