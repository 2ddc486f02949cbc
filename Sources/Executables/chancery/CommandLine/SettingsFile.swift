import Configuration
import Runtime

/// A settings file behind `--config`, of which a command reads some sections.
struct SettingsFile: Sendable {
    private static let bytesMax = 1 << 20

    let path: String
    private let bytes: [UInt8]

    /// Reads the file asked for, or the first of `usual` that exists; `whose`: in the sentence that
    /// there is none.
    ///
    /// One of the folder that we are in must be root's or ours.
    init(_ named: String?, usual: [String], whose: String = "") throws(CommandFailure) {
        guard let path = named ?? usual.first(where: Files.exists) else {
            throw CommandFailure(
                "there is no settings file\(whose)",
                remedy: "Name one with --config, or make \(usual[0]).",
                status: 78
            )
        }
        self.path = path
        let isFound = named == nil && !path.hasPrefix("/")
        bytes = try isFound ? Self.unasked(path) : Self.asked(path)
    }

    private static func asked(_ path: String) throws(CommandFailure) -> [UInt8] {
        do { return try FileReading.bytes(at: path, bytesMax: bytesMax) } catch {
            throw CommandFailure("cannot read \(path): \(error)", status: 78)
        }
    }

    private static func unasked(_ path: String) throws(CommandFailure) -> [UInt8] {
        do throws(FileReading.Distrust) {
            return try FileReading.unaskedBytes(at: path, bytesMax: bytesMax)
        } catch {
            if case .unread(let why) = error {
                throw CommandFailure("cannot read \(path): \(why)", status: 78)
            }
            // It says whom a password is shown to, and what is run.
            throw CommandFailure(
                "\(path) is not taken unasked: \(error)",
                remedy: "If you trust it, name it: --config \(path).",
                status: 78
            )
        }
    }

    /// What `body` reads of these sections; what other programs read is passed over.
    func read<Settings>(
        _ sections: Set<SettingsSection>,
        isInsecureDev: Bool,
        _ body: (Section) -> Settings
    ) throws(ConfigurationError) -> Settings {
        let document = try SettingsDocument(
            bytes,
            environment: Environment.all(),
            isInsecureDev: isInsecureDev
        )
        document.root.ignore(allBut: sections)
        let settings = body(document.root)
        try document.finish()
        return settings
    }

    /// What is wrong with the file, a line for each finding.
    func failure(_ error: ConfigurationError) -> CommandFailure {
        let lines = error.findings.map { $0.line(in: path) }
        return CommandFailure(lines.joined(separator: "\n"), status: 78)
    }
}
