internal import Crypto
internal import OAuth
package import Runtime

/// The key that wraps all others (KEK, security.md section 5): key files and subjects' keys.
package struct KeyEncryptionKey: Sendable {
    /// Where the key comes from.
    package enum Source: Hashable, Sendable {
        /// A file of 32 bytes, or of 64 hexadecimal digits.
        case credential(path: String)
        /// A file whose content is stretched with scrypt, N = 2^17, r = 8, p = 1.
        case passphrase(path: String)
        /// A file that a program, named with its arguments, makes the key of: a key management
        /// service's hook (security.md section 5). It reads the file's content from its standard
        /// input and writes 32 bytes, or 64 hexadecimal digits, within 5 s.
        case wrapped(path: String, by: [String])

        var path: String {
            switch self {
            case .credential(let path), .passphrase(let path), .wrapped(let path, _): path
            }
        }
    }

    /// Written beside what it wraps, so that a later key can take over row by row.
    package let version: Int32

    private static let format: UInt8 = 1
    private let box: SealingBox

    /// Takes a key of exactly 32 bytes; nil for another length.
    package init?(_ key: Secret, version: Int32 = 1) {
        guard let box = SealingBox(key) else { return nil }
        self.box = box
        self.version = version
    }

    /// How long a program may take that unwraps the key.
    package static let unwrappingMax = Duration.seconds(5)

    /// Reads the file and makes the key of it, blocking.
    ///
    /// A passphrase is stretched with `salt`, which takes 0.3 s; a program has `unwrappingMax`.
    package init(_ source: Source, salt: [UInt8], version: Int32 = 1) throws(KeyFileError) {
        let path = source.path
        let content: Secret
        do { content = try FileReading.secret(at: path, bytesMax: 4096) } catch {
            throw .unreadable(path: path, error)
        }
        let key: Secret?
        switch source {
        case .credential: key = Self.credential(content)
        case .passphrase: key = try Self.stretched(content, salt: salt, path)
        case .wrapped(_, let command):
            key = Self.credential(try Self.unwrapped(content, by: command))
        }
        guard let key, let made = Self(key, version: version) else { throw .weak(source) }
        self = made
    }

    /// Version, nonce, ciphertext and tag: 29 bytes more than `secret`.
    package func wrap(_ secret: Secret, for purpose: [UInt8]) -> [UInt8] {
        [Self.format] + secret.withBytes { box.seal($0, for: purpose) }
    }

    /// The secret, or nil when it was wrapped by another key, for another purpose, or altered.
    package func unwrap(_ wrapped: [UInt8], for purpose: [UInt8]) -> Secret? {
        guard wrapped.first == Self.format,
            var opened = box.open(wrapped.span.extracting(1..<wrapped.count), for: purpose)
        else { return nil }
        return Secret(wiping: &opened)
    }

    private static func credential(_ content: Secret) -> Secret? {
        if content.count == AES256GCM.keyCount { return content }
        return content.withoutLastNewline.withBytes { span in
            var text = span.indices.map { span[$0] }
            defer { _ = Secret(wiping: &text) }
            guard text.count == 2 * AES256GCM.keyCount, var key = Hexadecimal.decode(text) else {
                return nil
            }
            return Secret(wiping: &key)
        }
    }

    private static func unwrapped(_ content: Secret, by command: [String])
        throws(KeyFileError) -> Secret
    {
        let program = command.first ?? ""
        guard !FileReading.isWritableByOthers(program) else { throw .open(program: program) }
        do {
            return try Processes.filter(
                content,
                through: ChildCommand(program, Array(command.dropFirst())),
                bytesMax: 2 * AES256GCM.keyCount + 1,
                within: unwrappingMax
            )
        } catch { throw .wrapped(program: program, error) }
    }

    private static func stretched(_ content: Secret, salt: [UInt8], _ path: String)
        throws(KeyFileError) -> Secret?
    {
        let passphrase = content.withoutLastNewline
        guard passphrase.count >= 16 else { return nil }
        do {
            return try Scrypt.derive(
                from: passphrase,
                salt: salt,
                cost: .keyFile,
                count: AES256GCM.keyCount
            )
        } catch { throw .unstretched(path: path) }
    }
}
