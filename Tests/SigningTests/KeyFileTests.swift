import Crypto
import Domain
import Foundation
import Issuing
import OAuth
import Runtime
import Testing

import Signing

@Suite("Key files") struct KeyFileTests {
    @Test("a second process finds root secrets and signing keys again") func reopened() throws {
        let scratch = try ScratchKeys()
        let made = try scratch.vault().generateNow(.es256)
        let again = try KeyDirectory(at: "\(scratch.root)/keys", unlockedBy: scratch.source)
        let first = RootDigester(try scratch.directory.rootSecrets())
        let second = RootDigester(try again.rootSecrets())
        for label in KeyLabel.allCases {
            #expect(first.mac(label, [1]) == second.mac(label, [1]))
        }
        let vault = SigningKeyVault(again, on: BlockingExecutor())
        #expect(try vault.loadNow(Sample.project([made]).keys).isEmpty)
        let token = try JWTSigner(vault).sign(Sample.accessClaims(), for: Sample.project([made]))
        #expect(!token.isEmpty)
    }

    @Test("who cannot write a key says which file, and why") func unwritable() throws {
        let scratch = try ScratchKeys()
        let vault = scratch.vault()
        try FileManager.default.removeItem(atPath: "\(scratch.root)/keys")
        do throws(KeyVaultError) {
            _ = try vault.generateNow(.es256)
            Issue.record("it was written")
        } catch {
            guard case .unwritable(let why) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(why.contains("\(scratch.root)/keys/"), "\(why)")
            #expect(why.contains("cannot be written"), "\(why)")
        }
    }

    @Test("a directory that nobody may write opens all the same, and says so") func readOnly()
        throws
    {
        let scratch = try ScratchKeys()
        let path = "\(scratch.root)/keys"
        #expect(scratch.directory.isWritable)
        func allow(_ mode: Int) throws {
            let manager = FileManager.default
            try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        try allow(0o500)
        defer { try? allow(0o700) }
        let again = try KeyDirectory.make(at: path, unlockedBy: scratch.source)
        #expect(!again.isWritable)
        let mac = RootDigester(try again.rootSecrets()).mac(.refresh, [1])
        #expect(mac == RootDigester(try scratch.directory.rootSecrets()).mac(.refresh, [1]))
    }

    @Test("nodes that start at once in an empty directory share one root secret") func race()
        async throws
    {
        let scratch = try ScratchKeys()
        let (path, source) = ("\(scratch.root)/shared", scratch.source)
        let macs = try await withThrowingTaskGroup(of: TokenDigest.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let directory = try KeyDirectory.make(at: path, unlockedBy: source)
                    return RootDigester(try directory.rootSecrets()).mac(.refresh, [1])
                }
            }
            return try await group.reduce(into: Set<TokenDigest>()) { $0.insert($1) }
        }
        #expect(macs.count == 1)
        let names = try FileReading.names(inDirectory: path)
        #expect(names == ["root.key", "salt"], "nothing is left behind")
    }

    @Test("a first start that ended before its root secret was there is no fault, and goes on")
    func interrupted() throws {
        let scratch = try ScratchKeys()
        let (path, source) = ("\(scratch.root)/first", scratch.source)
        #expect(try !KeyDirectory.check(at: path, unlockedBy: source))
        _ = try KeyDirectory.make(at: path, unlockedBy: source)
        #expect(try KeyDirectory.check(at: path, unlockedBy: source))
        let root = "\(path)/root.key"
        try FileManager.default.removeItem(atPath: root)
        #expect(try !KeyDirectory.check(at: path, unlockedBy: source))
        let again = try KeyDirectory.make(at: path, unlockedBy: source)
        #expect(try KeyDirectory.check(at: path, unlockedBy: source))
        // Beside a signing key the root secret was there once: a new one would hide that.
        _ = try SigningKeyVault(again, on: BlockingExecutor()).generateNow(.es256)
        try FileManager.default.removeItem(atPath: root)
        #expect(throws: KeyFileError.unreadable(path: root, .missing)) {
            try KeyDirectory.check(at: path, unlockedBy: source)
        }
    }

    @Test("a key whose file is missing is named, and the others of its ring are read")
    func missing() throws {
        let scratch = try ScratchKeys()
        let elsewhere = try ScratchKeys()
        let strange = try elsewhere.vault().generateNow(.es256)
        let own = try scratch.vault().generateNow(.edDSA)
        let vault = scratch.vault()
        let unheld = try vault.loadNow(Sample.project([strange, own]).keys)
        #expect(unheld == [UnheldKey(kid: strange.kid, reason: .missing)])
        #expect(vault.holds(own.kid))
        #expect(!vault.holds(strange.kid))
    }

    @Test("of a key that is held in memory alone the fault is named")
    func fault() async throws {
        let scratch = try ScratchKeys()
        let vault = scratch.vault()
        let made = try vault.generateNow(.es256)
        #expect(try await vault.fault(of: made.kid, .es256) == nil)
        let file = "\(scratch.root)/keys/\(made.kid).key"
        // Of another algorithm the file is of no use.
        let damaged = KeyFileError.malformed(path: file).description
        #expect(try await vault.fault(of: made.kid, .edDSA) == damaged)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(
            try await vault.fault(of: made.kid, .es256)
                == KeyFileError.unreadable(path: file, .wrongMode).description
        )
        try FileWriting.replace(file, with: [0])
        #expect(
            try await vault.fault(of: made.kid, .es256)
                == KeyFileError.foreign(path: file).description
        )
        try FileManager.default.removeItem(atPath: file)
        #expect(vault.holds(made.kid))
        let missing = "the file of signing key \(made.kid) is missing"
        #expect(try await vault.fault(of: made.kid, .es256) == missing)
    }

    @Test("a file that comes late is read when it is asked for again") func late() async throws {
        let scratch = try ScratchKeys()
        let made = try scratch.vault().generateNow(.es256)
        let file = "\(scratch.root)/keys/\(made.kid).key"
        let content = try FileReading.bytes(at: file, bytesMax: 4096)
        try FileManager.default.removeItem(atPath: file)
        let vault = scratch.vault()
        let project = try Sample.project([made])
        #expect(try await vault.load(project.keys).map(\.kid) == [made.kid])
        #expect(!JWTSigner(vault).canSign(with: .es256, for: project))
        try FileWriting.replace(file, with: content)
        #expect(try await vault.load(project.keys).isEmpty)
        #expect(JWTSigner(vault).canSign(with: .es256, for: project))
        #expect(!JWTSigner(vault).canSign(with: .edDSA, for: project))
    }

    @Test("the kid is the thumbprint of the public key, and nothing private is in the ring")
    func kid() throws {
        let scratch = try ScratchKeys()
        for algorithm in SigningKeyRing.Algorithm.allCases {
            let made = try scratch.vault().generateNow(algorithm)
            let jwk = try CanonicalJSON.read(made.publicKey)
            #expect(jwk["kid"]?.string == made.kid)
            #expect(jwk["alg"]?.string == algorithm.rawValue)
            #expect(jwk["use"]?.string == "sig")
            #expect(jwk["d"] == nil)
            let names = jwk["kty"]?.string == "RSA" ? ["e", "kty", "n"] : ["crv", "kty", "x", "y"]
            var writer = JSONWriter()
            writer.object { writer in
                for name in names { if let value = jwk[name] { writer.member(name, value) } }
            }
            #expect(Base64URL.text(SHA256.hash(writer.bytes)) == made.kid)
        }
    }

    @Test("files are for their owner alone and hold no key in the clear") func sealed() throws {
        let scratch = try ScratchKeys()
        let made = try scratch.vault().generateNow(.es256)
        for name in ["salt", "root.key", "\(made.kid).key"] {
            let path = "\(scratch.root)/keys/\(name)"
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let file = try FileReading.bytes(
            at: "\(scratch.root)/keys/\(made.kid).key",
            bytesMax: 4096
        )
        // The header every P-256 key has in PKCS #8.
        let marker: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
        #expect(!Data(file).contains(Data(marker)))
    }

    @Test("another key encryption key opens nothing") func foreign() throws {
        let scratch = try ScratchKeys()
        try FileWriting.replace("\(scratch.root)/kek", with: SecureRandom.bytes(32))
        let other = try KeyDirectory(at: "\(scratch.root)/keys", unlockedBy: scratch.source)
        #expect(throws: KeyFileError.foreign(path: "\(scratch.root)/keys/root.key")) {
            try other.rootSecrets()
        }
    }

    @Test("a key file under another key's name does not open") func swapped() throws {
        let scratch = try ScratchKeys()
        let one = try scratch.vault().generateNow(.es256)
        let two = try scratch.vault().generateNow(.es256)
        let keys = "\(scratch.root)/keys"
        let content = try FileReading.bytes(at: "\(keys)/\(one.kid).key", bytesMax: 4096)
        try FileWriting.replace("\(keys)/\(two.kid).key", with: content)
        let reason = UnheldKey.Reason.unusable(.foreign(path: "\(keys)/\(two.kid).key"))
        let unheld = try scratch.vault().loadNow(Sample.project([two, one]).keys)
        #expect(unheld == [UnheldKey(kid: two.kid, reason: reason)])
    }

    @Test("a key or credential that others may read is refused") func modes() throws {
        let scratch = try ScratchKeys()
        let kek = "\(scratch.root)/kek"
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: kek)
        let refused = KeyFileError.unreadable(path: kek, .wrongMode)
        #expect(throws: refused) {
            try KeyDirectory(at: "\(scratch.root)/keys", unlockedBy: scratch.source)
        }
        #expect(refused.description == "\(kek) may be read by others: chmod 600 \(kek)")
    }

    @Test(
        "credentials: 32 bytes or 64 hexadecimal digits, nothing else",
        arguments: [
            ([UInt8](repeating: 7, count: 32), true), (Array("07".utf8.repeated(32)), true),
            (Array("07".utf8.repeated(32)) + [0x0A], true),
            ([UInt8](repeating: 7, count: 31), false),
            (Array("0G".utf8.repeated(32)), false), ([], false),
        ]
    )
    func credentials(_ content: [UInt8], _ isAccepted: Bool) throws {
        guard isAccepted else {
            #expect(throws: KeyFileError.self) { try ScratchKeys(content) }
            return
        }
        let version = try ScratchKeys(content).directory.encryption.version
        #expect(version > 1, "1 is what rows of before have")
        #expect(try ScratchKeys(content).directory.encryption.version == version)
    }

    @Test("a passphrase file opens the same directory again; a short one is refused")
    func passphrase() throws {
        let scratch = try ScratchKeys()
        let file = "\(scratch.root)/passphrase"
        try FileWriting.replace(file, with: Array("correct horse battery\n".utf8))
        let source = KeyEncryptionKey.Source.passphrase(path: file)
        _ = try KeyDirectory.make(at: "\(scratch.root)/p", unlockedBy: source).rootSecrets()
        try FileWriting.replace(file, with: Array("correct horse battery".utf8))
        _ = try KeyDirectory(at: "\(scratch.root)/p", unlockedBy: source).rootSecrets()
        try FileWriting.replace(file, with: Array("short".utf8))
        #expect(throws: KeyFileError.weak(source)) {
            try KeyDirectory(at: "\(scratch.root)/p", unlockedBy: source)
        }
    }

    @Test("a program that unwraps the key gets the file and gives the key, each time anew")
    func unwrapping() throws {
        let scratch = try ScratchKeys()
        let file = "\(scratch.root)/wrapped"
        // Reversed, so that what comes out is not what went in.
        let program = ["/usr/bin/rev"]
        try FileWriting.replace(file, with: Array("0123456789abcdef".utf8.repeated(4)))
        let source = KeyEncryptionKey.Source.wrapped(path: file, by: program)
        _ = try KeyDirectory.make(at: "\(scratch.root)/w", unlockedBy: source).rootSecrets()
        _ = try KeyDirectory(at: "\(scratch.root)/w", unlockedBy: source).rootSecrets()
        #expect(try KeyDirectory.check(at: "\(scratch.root)/w", unlockedBy: source))
        let key = Array("fedcba9876543210".utf8.repeated(4))
        try FileWriting.replace("\(scratch.root)/key", with: key)
        let plain = KeyEncryptionKey.Source.credential(path: "\(scratch.root)/key")
        _ = try KeyDirectory(at: "\(scratch.root)/w", unlockedBy: plain).rootSecrets()
    }

    @Test(
        "a program that gives no key is named, with what it did",
        arguments: [
            (["/nowhere/unwrap"], "/nowhere/unwrap cannot be run: execve: "),
            (["/bin/sh", "-c", "exit 3"], "/bin/sh ended with status 3"),
            (["/bin/sh", "-c", "kill -9 $$"], "/bin/sh was ended by signal 9"),
            (["/bin/sh", "-c", "cat; cat /proc/self/stat"], "/bin/sh wrote more than was asked"),
            (["/bin/echo", "key"], "/bin/echo must write 32 bytes or 64 hexadecimal digits, and"),
        ]
    )
    func failedUnwrapping(_ command: [String], _ message: String) throws {
        let scratch = try ScratchKeys()
        let source = KeyEncryptionKey.Source.wrapped(path: "\(scratch.root)/kek", by: command)
        do throws(KeyFileError) {
            _ = try KeyDirectory.make(at: "\(scratch.root)/w", unlockedBy: source)
            Issue.record("\(command) gave a key")
        } catch {
            #expect(error.description.hasPrefix(message), "\(error)")
            #expect(error.isTemporary == message.contains(" ended "), "\(error)")
        }
    }
}

extension String.UTF8View {
    fileprivate func repeated(_ count: Int) -> [UInt8] { (0..<count).flatMap { _ in Array(self) } }
}
