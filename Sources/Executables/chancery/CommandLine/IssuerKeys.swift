import Assembly
import Configuration
import Runtime
import Signing

/// The key directory of the issuers of this machine, for commands that open it.
struct IssuerKeys: Sendable {
    /// Where the issuer's file is looked for when none is named.
    static let usualPaths = [
        "/etc/chancery/token-issuer.yaml", ".chancery/config/token-issuer.yaml",
    ]

    private let settings: KeySettings

    /// Reads section `keys` of the file asked for, or of the first usual one that exists.
    init(_ named: String?) throws(CommandFailure) {
        let file = try SettingsFile(named, usual: Self.usualPaths, whose: " of token-issuer")
        do throws(ConfigurationError) {
            settings = try file.read([.keys], isInsecureDev: false) { KeySettings($0) }
        } catch { throw file.failure(error) }
    }

    /// Opens the directory, and makes none; blocking.
    func directory() throws(CommandFailure) -> KeyDirectory {
        try Self.reading { () throws(KeyFileError) in
            try KeyDirectory(
                at: settings.directory,
                unlockedBy: KeyEncryptionKey.Source(settings.encryptionKey),
                beside: KeyEncryptionKey.Second(settings)
            )
        }
    }

    /// What `body` answers; a failure says what to do.
    static func reading<Answer>(_ body: () throws(KeyFileError) -> Answer)
        throws(CommandFailure) -> Answer
    {
        do { return try body() } catch {
            throw CommandFailure(
                "\(error)",
                remedy: remedy(error),
                status: error.isTemporary ? 75 : 1
            )
        }
    }

    private static func remedy(_ error: KeyFileError) -> String? {
        switch error {
        case .unreadable(_, .wrongOwner), .unreadable(_, .forbidden), .exposed(_, .owner):
            """
            Run this as the user of token-issuer: its files are for it alone. Under its unit the \
            key encryption key is a credential: Production, Keys, says how to give it to a command.
            """
        case .unreadable(let path, .missing):
            ["/salt", "/root.key"].contains(where: path.hasSuffix)
                ? "The first issuer that starts makes it."
                : "Name the key encryption key in keys.kek_file, or give it as a credential."
        default: nil
        }
    }
}
