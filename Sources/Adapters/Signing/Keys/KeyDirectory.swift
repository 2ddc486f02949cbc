internal import Crypto
internal import Domain
internal import Issuing
internal import OAuth
package import Runtime

/// The directory of sealed keys: `salt`, `root.key`, one `<kid>.key` for each signing key, `lock`.
///
/// Every file is 0600 and sealed under the key encryption key together with its name, so that one
/// cannot stand in for another. All calls block.
package struct KeyDirectory: Sendable {
    /// What wraps the keys here, and the subjects' keys in the database.
    package let encryption: KeyEncryptionKey
    private let path: String

    private static let fileBytesMax = 16 * 1024
    private static let saltCount = 32

    /// Opens an existing directory.
    package init(
        at path: String,
        unlockedBy source: KeyEncryptionKey.Source,
        beside second: KeyEncryptionKey.Second? = nil
    ) throws(KeyFileError) {
        self.path = path
        try Self.requireOwn(path)
        let salt = try Self.read("\(path)/salt")
        guard salt.count == Self.saltCount else { throw .malformed(path: "\(path)/salt") }
        encryption = try KeyEncryptionKey(source, beside: second, salt: salt)
    }

    /// Opens the directory, and makes it with a new root secret when there is none.
    package static func make(
        at path: String,
        unlockedBy source: KeyEncryptionKey.Source,
        beside second: KeyEncryptionKey.Second? = nil
    ) throws(KeyFileError) -> KeyDirectory {
        do { try FileWriting.makeDirectory(path) } catch {
            throw .unwritable(path: path, error)
        }
        try requireOwn(path)
        removeDrafts(path)
        // Nodes that share the directory may start at once: the first to create decides. Nothing is
        // written where all is there: a full disk keeps no process from its keys.
        let salt = "\(path)/salt"
        if try !exists(salt) { try create(SecureRandom.bytes(saltCount), at: salt) }
        let directory = try KeyDirectory(at: path, unlockedBy: source, beside: second)
        let root = "\(path)/root.key"
        if try !exists(root) {
            let secrets = RootSecrets.generate().joined
            try create(directory.encryption.wrap(secrets, for: purpose("root")), at: root)
        }
        return directory
    }

    /// Opens what is there and makes nothing; false when `make` has still to make the root secret.
    package static func check(
        at path: String,
        unlockedBy source: KeyEncryptionKey.Source,
        beside second: KeyEncryptionKey.Second? = nil
    ) throws(KeyFileError) -> Bool {
        try requireOwn(path)
        let salt = "\(path)/salt"
        guard try exists(salt) else {
            // A passphrase opens what it sealed with the salt of then alone. Another node's `make`
            // writes it before any key, so it is looked for once more.
            let isStretched = [source, second?.source].contains { $0?.isStretched == true }
            if isStretched, try hasKeyFiles(path), try !exists(salt) {
                throw .unreadable(path: salt, .missing)
            }
            _ = try KeyEncryptionKey(source, beside: second, salt: [])
            return false
        }
        let directory = try KeyDirectory(at: path, unlockedBy: source, beside: second)
        // A `make` that was ended between its two files left no key that needs the secret. Beside
        // a signing key the secret was lost, and another one is of no use.
        if try !exists("\(path)/root.key"), try !hasKeyFiles(path) { return false }
        _ = try directory.rootSecrets()
        return true
    }

    /// Refuses a directory that others may write in.
    ///
    /// They could put files of before in the place of these, or take them away. What is not there
    /// is nobody's.
    ///
    /// - Throws: `.exposed`.
    private static func requireOwn(_ path: String) throws(KeyFileError) {
        guard let stranger = FileReading.strangers(at: path).first else { return }
        throw .exposed(directory: path, stranger)
    }

    /// Takes away what processes that ended while they wrote have left.
    ///
    /// It is sealed as the files are, and nobody seals it anew: a former key encryption key would
    /// open it for ever.
    private static func removeDrafts(_ path: String) {
        FileWriting.removeDrafts(in: path) { $0 == "salt" || sealedName($0) != nil }
    }

    /// Whether one is there, the root secret's included; false without a directory.
    private static func hasKeyFiles(_ path: String) throws(KeyFileError) -> Bool {
        try !sealedNames(path).isEmpty
    }

    /// What is sealed here, by the names that are bound in; none without a directory.
    private static func sealedNames(_ path: String) throws(KeyFileError) -> [String] {
        do {
            return try FileReading.names(inDirectory: path).compactMap(sealedName)
        } catch {
            if error == .missing { return [] }
            throw .unreadable(path: path, error)
        }
    }

    /// The name that is bound into a file; nil where that is none of ours.
    private static func sealedName(_ file: String) -> String? {
        guard file.hasSuffix(".key") else { return nil }
        let name = String(file.dropLast(4))
        return name == "root" || isName(name) ? name : nil
    }

    /// Seals anew what the former key encryption key sealed; the names of what was found so.
    ///
    /// - Returns: nil while another process changes the directory; nothing was changed then.
    /// - Throws: at the first file that cannot be read or written; those before it are done.
    package func reseal() throws(KeyFileError) -> [String]? {
        guard encryption.second?.standing == .former else { return [] }
        Self.removeDrafts(path)
        var names: [String] = []
        for name in try Self.sealedNames(path) where try sealedAnew(name) != nil {
            names.append(name)
        }
        // Only where there is something to do: who cannot write here may find that others have.
        guard !names.isEmpty else { return [] }
        guard let lock = try lock() else { return nil }
        defer { withExtendedLifetime(lock) {} }
        for name in names {
            // Read again: another may have been here before the lock was taken.
            if let anew = try sealedAnew(name) { try Self.write(anew, to: file(of: name)) }
        }
        return names
    }

    /// What a file becomes that the second key encryption key sealed; nil for others.
    private func sealedAnew(_ name: String) throws(KeyFileError) -> [UInt8]? {
        encryption.rewrap(try Self.read(file(of: name)), for: Self.purpose(name))
    }

    /// Keeps other processes from changing what is here, as long as it is held; nil while one does.
    package func lock() throws(KeyFileError) -> FileLock? {
        let file = "\(path)/lock"
        do { return try FileLock(file, note: "") } catch { throw .unwritable(path: file, error) }
    }

    /// Whether a key can be kept here.
    package var isWritable: Bool { FileWriting.canMakeFiles(in: path) }

    /// The root secrets.
    package func rootSecrets() throws(KeyFileError) -> RootSecrets {
        let file = "\(path)/root.key"
        guard let secrets = RootSecrets(try open(file, as: "root")) else {
            throw .malformed(path: file)
        }
        return secrets
    }

    /// Puts `secrets` in the place of the root secrets, all or nothing.
    ///
    /// Nodes that share the directory read them within seconds. Hold the `lock` from before you
    /// read what is there.
    package func replaceRootSecrets(with secrets: RootSecrets) throws(KeyFileError) {
        try seal(secrets.joined, as: "root", in: "\(path)/root.key")
    }

    /// The private half of `kid`; nil when this directory has none.
    func signingKey(_ kid: String, for algorithm: SigningKeyRing.Algorithm)
        throws(KeyFileError) -> SigningKey?
    {
        let file = file(of: kid)
        guard Self.isName(kid), try Self.exists(file) else { return nil }
        let der = try open(file, as: kid)
        guard let key = try? SigningKey(pkcs8: der, for: SignatureAlgorithm(algorithm)) else {
            throw .malformed(path: file)
        }
        return key
    }

    /// Keeps a private half.
    func write(_ key: SigningKey, as kid: String) throws(KeyFileError) {
        guard Self.isName(kid), let der = try? key.pkcs8() else {
            throw .malformed(path: file(of: kid))
        }
        try seal(der, as: kid, in: file(of: kid))
    }

    private func file(of kid: String) -> String { "\(path)/\(kid).key" }

    /// A thumbprint in base64url: no dot, no slash.
    private static func isName(_ kid: String) -> Bool {
        kid.utf8.count == 43 && Base64URL.decode(Array(kid.utf8)) != nil
    }

    private func open(_ file: String, as name: String) throws(KeyFileError) -> Secret {
        let wrapped = try Self.read(file)
        guard let secret = encryption.unwrap(wrapped, for: Self.purpose(name)) else {
            throw .foreign(path: file)
        }
        return secret
    }

    private func seal(_ secret: Secret, as name: String, in file: String) throws(KeyFileError) {
        Self.removeDrafts(path)
        try Self.write(encryption.wrap(secret, for: Self.purpose(name)), to: file)
    }

    private static func purpose(_ name: String) -> [UInt8] {
        Array("chancery-key-file-1\u{0}\(name)".utf8)
    }

    private static func read(_ file: String) throws(KeyFileError) -> [UInt8] {
        do {
            // As strict as with plain secrets: whoever can replace a sealed file can break things.
            let content = try FileReading.secret(at: file, bytesMax: fileBytesMax)
            return content.withBytes { span in span.indices.map { span[$0] } }
        } catch { throw .unreadable(path: file, error) }
    }

    private static func write(_ bytes: [UInt8], to file: String) throws(KeyFileError) {
        do { try FileWriting.replace(file, with: bytes) } catch {
            throw .unwritable(path: file, error)
        }
    }

    private static func create(_ bytes: [UInt8], at file: String) throws(KeyFileError) {
        do { _ = try FileWriting.create(file, with: bytes) } catch {
            throw .unwritable(path: file, error)
        }
    }

    private static func exists(_ file: String) throws(KeyFileError) -> Bool {
        do {
            _ = try FileReading.bytes(at: file, bytesMax: fileBytesMax)
            return true
        } catch {
            if error == .missing { return false }
            throw .unreadable(path: file, error)
        }
    }
}
