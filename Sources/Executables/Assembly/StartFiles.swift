internal import Configuration
internal import HTTPServer
internal import Runtime
package import Signing

/// The files that a process's settings name, and what a start refuses of them (security.md
/// section 10.3).
package struct StartFiles: Sendable {
    private static let bytesMax = 1 << 20

    private struct Named: Sendable {
        var setting: String
        var path: String
    }

    /// Regular files of the process's own that nobody else may read.
    private var secrets: [Named] = []
    /// Certificates and authorities.
    private var certificates: [Named] = []
    private var listeners: [(section: String, files: TLSSettings)] = []
    private let keys: KeySettings?

    private init(
        _ listen: ListenSettings?,
        _ admin: AdminSettings,
        _ database: DatabaseSettings,
        _ kafka: KafkaSettings,
        mail: MailSettings? = nil,
        keys: KeySettings? = nil
    ) {
        self.keys = keys
        add(listen?.certificatePath, listen?.keyPath, nil, to: "listen")
        add(admin.certificatePath, admin.keyPath, admin.clientAuthoritiesPath, to: "admin")
        secrets += Self.named("database.password_file", database.passwordPath)
        secrets += Self.named("kafka.tls_key_file", kafka.keyPath)
        secrets += Self.named("mail.password_file", mail?.passwordPath)
        certificates += Self.named("database.tls_authorities_file", database.authoritiesPath)
        certificates += Self.named("kafka.tls_authorities_file", kafka.authoritiesPath)
        certificates += Self.named("kafka.tls_certificate_file", kafka.certificatePath)
    }

    private static func named(_ setting: String, _ path: String?) -> [Named] {
        path.map { [Named(setting: setting, path: $0)] } ?? []
    }

    private mutating func add(
        _ certificate: String?,
        _ key: String?,
        _ authorities: String?,
        to section: String
    ) {
        let files = TLSSettings(
            certificate: certificate,
            key: key,
            clientAuthorities: authorities
        )
        if let files { listeners.append((section, files)) }
    }

    /// Where keys are made.
    package var keyDirectory: String? { keys?.directory }

    /// The files with secrets in them, as they are named, and those that the key directory has.
    package var secretPaths: [String] {
        let ofKeys = keys.map { keys in
            [keys.encryptionKeyPath] + ["salt", "root.key"].map { "\(keys.directory)/\($0)" }
        }
        return secrets.map(\.path) + listeners.map(\.files.keyFile) + (ofKeys ?? [])
    }

    /// Why a process must not start with them, one line each, which begins with the setting.
    ///
    /// Reads each as the start does, and makes none: blocking.
    package var refusals: [String] {
        var lines: [String] = []
        for file in secrets {
            do { _ = try FileReading.secret(at: file.path, bytesMax: Self.bytesMax) } catch {
                lines.append("\(file.setting): \(file.path): \(error)")
            }
        }
        for file in certificates {
            do { _ = try FileReading.bytes(at: file.path, bytesMax: Self.bytesMax) } catch {
                lines.append("\(file.setting): \(file.path): \(error)")
            }
        }
        for listener in listeners {
            do { try listener.files.check() } catch {
                guard case .tls(let file, let reason) = error else { continue }
                lines.append("\(listener.section): \(file): \(reason)")
            }
        }
        do { _ = try hasKeys() } catch { lines.append("keys: \(error)") }
        return lines
    }

    /// Whether the root secret is there; the first issuer makes it as it starts.
    package func hasKeys() throws(KeyFileError) -> Bool {
        guard let keys else { return false }
        return try KeyDirectory.check(
            at: keys.directory,
            unlockedBy: KeyEncryptionKey.Source(keys)
        )
    }
}

extension StartFiles {
    /// Those of `token-issuer`.
    package init(_ settings: TokenIssuerSettings) {
        self.init(
            settings.listen,
            settings.admin,
            settings.database,
            settings.kafka,
            mail: settings.mail,
            keys: settings.keys
        )
    }

    /// Those of `event-relay`.
    package init(_ settings: EventRelaySettings) {
        self.init(nil, settings.admin, settings.database, settings.kafka)
    }

    /// Those of `revocation-projector`.
    package init(_ settings: RevocationProjectorSettings) {
        self.init(settings.listen, settings.admin, settings.database, settings.kafka)
    }
}
