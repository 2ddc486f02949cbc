internal import Crypto
internal import Domain
package import Issuing
internal import OAuth
package import Runtime

/// The key that wraps all others (KEK, Security 5): key files and subjects' keys.
package struct KeyEncryptionKey: Sendable {
    /// Where the key comes from.
    package enum Source: Hashable, Sendable {
        /// A file of 32 bytes, or of 64 hexadecimal digits.
        case credential(path: String)
        /// A file whose content is stretched with scrypt, N = 2^17, r = 8, p = 1.
        case passphrase(path: String)
        /// A file that a program, named with its arguments, makes the key of: a key management
        /// service's hook (Security 5). It reads the file's content from its standard
        /// input and writes 32 bytes, or 64 hexadecimal digits, within 5 s.
        case wrapped(path: String, by: [String])

        var path: String {
            switch self {
            case .credential(let path), .passphrase(let path), .wrapped(let path, _): path
            }
        }

        /// Whether the key depends on the salt of the directory.
        var isStretched: Bool {
            if case .passphrase = self { true } else { false }
        }
    }

    /// A second key, which opens what it wrapped while one replaces the other (decision 0206).
    package struct Second: Hashable, Sendable {
        /// Where it comes from.
        package let source: Source
        /// What it is to the key that wraps.
        package let standing: KeyStanding

        package init(_ source: Source, _ standing: KeyStanding) {
            self.source = source
            self.standing = standing
        }
    }

    /// Tells this key from another, and nothing else of it.
    ///
    /// Written beside what it wraps, so that a later key can take over row by row. Above 1, which
    /// stands in rows of before keys were told apart.
    package let version: Int32
    /// What the second key is, and its `version`; nil while there is none.
    package var second: (standing: KeyStanding, version: Int32)? {
        other.map { ($0.standing, $0.version) }
    }

    private static let format: UInt8 = 1
    private let box: SealingBox
    private let other: (standing: KeyStanding, version: Int32, box: SealingBox)?

    /// Takes a key of exactly 32 bytes; nil for another length.
    package init?(_ key: Secret) {
        guard let box = SealingBox(key) else { return nil }
        self.box = box
        version = Self.version(of: key)
        other = nil
    }

    private init(_ current: Self, beside other: Self, _ standing: KeyStanding) {
        box = current.box
        version = current.version
        self.other = (standing, other.version, other.box)
    }

    /// Reads the file and that of the second key, blocking, each as `init(_:salt:)` does.
    init(_ source: Source, beside second: Second?, salt: [UInt8]) throws(KeyFileError) {
        let current = try Self(source, salt: salt)
        guard let second else {
            self = current
            return
        }
        let other = try Self(second.source, salt: salt)
        guard other.version != current.version else {
            throw .same(path: source.path, other: second.source.path)
        }
        self.init(current, beside: other, second.standing)
    }

    private static func version(of key: Secret) -> Int32 {
        let info = Array("chancery-key-encryption-key-version".utf8)
        let tag = HMACKey(derivedFrom: key, info: info).tag([])
        let number = UInt32(bigEndian: tag.span.extracting(0..<4))
        return max(2, Int32(number >> 1))
    }

    /// How long a program may take that unwraps the key.
    package static let unwrappingMax = Duration.seconds(5)

    /// Reads the file and makes the key of it, blocking.
    ///
    /// A passphrase is stretched with `salt`, which takes 0.3 s; a program has `unwrappingMax`.
    package init(_ source: Source, salt: [UInt8]) throws(KeyFileError) {
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
        guard let key, let made = Self(key) else { throw .weak(source) }
        self = made
    }

    /// Version, nonce, ciphertext and tag: 29 bytes more than `secret`.
    package func wrap(_ secret: Secret, for purpose: [UInt8]) -> [UInt8] {
        [Self.format] + secret.withBytes { box.seal($0, for: purpose) }
    }

    /// The secret; nil when neither this key nor the second one wrapped it, or it was for another
    /// purpose, or altered.
    package func unwrap(_ wrapped: [UInt8], for purpose: [UInt8]) -> Secret? {
        Self.unwrap(wrapped, for: purpose, by: box)
            ?? other.flatMap { Self.unwrap(wrapped, for: purpose, by: $0.box) }
    }

    /// What this key makes of what the second one wrapped; nil for all else.
    func rewrap(_ wrapped: [UInt8], for purpose: [UInt8]) -> [UInt8]? {
        guard let other, Self.unwrap(wrapped, for: purpose, by: box) == nil else { return nil }
        return Self.unwrap(wrapped, for: purpose, by: other.box).map { wrap($0, for: purpose) }
    }

    private static func unwrap(_ wrapped: [UInt8], for purpose: [UInt8], by box: SealingBox)
        -> Secret?
    {
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
