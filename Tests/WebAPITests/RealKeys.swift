import Crypto
import Domain
import Foundation
import Issuing
import OAuth
import Runtime
import Signing
import TestSupport

/// The signing key of a project, and a node that holds it.
struct RealKeys {
    let signer: JWTSigner
    let ring: SigningKeyRing.State
    let kid: String
    /// The JWK, as everybody may read it.
    let publicKey: [UInt8]

    /// `more`: algorithms that it has a key of besides ES256.
    init(and more: [SigningKeyRing.Algorithm] = []) throws {
        let name = Hexadecimal.text(SecureRandom.bytes(8))
        let root = FileManager.default.temporaryDirectory.appending(path: "keys-\(name)").path()
        // Once it is made the key is in memory.
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileWriting.makeDirectory(root)
        try FileWriting.replace("\(root)/kek", with: SecureRandom.bytes(32))
        let directory = try KeyDirectory.make(
            at: "\(root)/keys",
            unlockedBy: .credential(path: "\(root)/kek")
        )
        let vault = SigningKeyVault(directory, on: BlockingExecutor())
        let key = try vault.generateNow(.es256)
        signer = JWTSigner(vault)
        kid = key.kid
        publicKey = key.publicKey
        let others = try more.map { try vault.generateNow($0) }
        ring = SigningKeyRing.State(
            keys: ([key] + others).map { key in
                SigningKeyRing.Key(
                    kid: key.kid,
                    algorithm: key.algorithm,
                    publicKey: key.publicKey,
                    status: .current,
                    stagedAt: Instant(seconds: 0)
                )
            }
        )
    }
}
