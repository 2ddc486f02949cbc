import Domain
import Foundation
import Issuing
import Runtime
import Signing
import Testing

@Suite("A key directory that has lost its salt") struct LostSaltTests {
    @Test(
        "is refused with a passphrase, and gets no other salt, beside any key",
        arguments: [true, false]
    )
    func passphrase(_ hasRoot: Bool) throws {
        let scratch = try ScratchKeys()
        let (path, source) = try Self.passphrase(in: scratch)
        #expect(try !KeyDirectory.check(at: path, unlockedBy: source))
        let directory = try KeyDirectory.make(at: path, unlockedBy: source)
        _ = try SigningKeyVault(directory, on: BlockingExecutor()).generateNow(.es256)
        let salt = "\(path)/salt"
        try FileManager.default.removeItem(atPath: salt)
        if !hasRoot { try FileManager.default.removeItem(atPath: "\(path)/root.key") }
        #expect(throws: KeyFileError.unreadable(path: salt, .missing)) {
            try KeyDirectory.check(at: path, unlockedBy: source)
        }
        #expect(!FileManager.default.fileExists(atPath: salt))
    }

    /// A directory that is not there yet, and what unlocks it.
    private static func passphrase(in scratch: ScratchKeys) throws
        -> (path: String, source: KeyEncryptionKey.Source)
    {
        let file = "\(scratch.root)/passphrase"
        try FileWriting.replace(file, with: Array("correct horse battery".utf8))
        return ("\(scratch.root)/p", .passphrase(path: file))
    }

    @Test("has lost none where only the key of a certificate is there") func foreign() throws {
        let scratch = try ScratchKeys()
        let (path, source) = try Self.passphrase(in: scratch)
        try FileWriting.makeDirectory(path)
        try FileWriting.replace("\(path)/tls.key", with: Array("PEM".utf8))
        #expect(try !KeyDirectory.check(at: path, unlockedBy: source))
    }

    @Test("opens to a key that is no passphrase, as before") func credential() throws {
        let scratch = try ScratchKeys()
        let path = "\(scratch.root)/keys"
        let first = RootDigester(try scratch.directory.rootSecrets())
        try FileManager.default.removeItem(atPath: "\(path)/salt")
        #expect(try !KeyDirectory.check(at: path, unlockedBy: scratch.source))
        let again = try KeyDirectory.make(at: path, unlockedBy: scratch.source)
        let second = RootDigester(try again.rootSecrets())
        #expect(first.mac(.refresh, [1]) == second.mac(.refresh, [1]))
    }
}
