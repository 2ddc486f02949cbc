internal import Configuration
internal import HTTPServer
internal import Kafka
internal import Runtime
internal import Signing

/// The files that a process's settings name, and what a start refuses of them (Security 10.3).
package struct StartFiles: Sendable {
    /// Not more than a client of the brokers takes; whoever reads a password takes less.
    private static let secretBytesMax = KafkaClientSettings.keyBytesMax
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

    /// Those that these sections name; `listen` is nil for a process that serves nobody.
    init(
        _ listen: ListenSettings?,
        _ admin: AdminSettings,
        _ database: DatabaseSettings,
        _ kafka: KafkaSettings,
        mail: MailSettings? = nil,
        keys: KeySettings? = nil
    ) {
        self.keys = keys
        if let files = listen.flatMap({ TLSSettings($0) }) { listeners.append(("listen", files)) }
        if let files = TLSSettings(admin) { listeners.append(("admin", files)) }
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

    /// Where keys are made.
    package var keyDirectory: String? { keys?.directory }

    /// The files with secrets in them, as they are named, and those that the key directory has.
    package var secretPaths: [String] {
        let ofKeys = keys.map { keys in
            [keys.encryptionKey.path] + [keys.second?.key.path].compactMap(\.self)
                + ["salt", "root.key"].map { "\(keys.directory)/\($0)" }
        }
        return secrets.map(\.path) + listeners.map(\.files.keyFile) + (ofKeys ?? [])
    }

    /// Why a process must not start with them, one line each, which begins with the setting.
    ///
    /// Reads each as the start does, and makes none: blocking.
    package var refusals: [String] {
        var lines: [String] = []
        for file in secrets {
            do { _ = try FileReading.secret(at: file.path, bytesMax: Self.secretBytesMax) } catch {
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
        return lines
    }

    /// What a look at the key directory found.
    package enum Keys: Hashable, Sendable {
        /// The root secret is there, and opens.
        case present
        /// It is not there; the first issuer makes it as it starts.
        case absent
        /// Why a process must not start with what is there; the line begins with the setting.
        case refused(String)
        /// As before, but a later start might: the program that unwraps the key gave none.
        case away(String)
    }

    /// Looks at the key directory, and makes nothing: blocking.
    ///
    /// Ask once: it runs the program that unwraps the key encryption key, which may say something
    /// else the next time.
    package func lookAtKeys() -> Keys {
        guard let keys else { return .absent }
        do {
            let isThere = try KeyDirectory.check(
                at: keys.directory,
                unlockedBy: KeyEncryptionKey.Source(keys.encryptionKey),
                beside: KeyEncryptionKey.Second(keys)
            )
            return isThere ? .present : .absent
        } catch { return error.isTemporary ? .away("keys: \(error)") : .refused("keys: \(error)") }
    }
}
