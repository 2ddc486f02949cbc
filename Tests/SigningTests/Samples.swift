import Crypto
import Domain
import Foundation
import Issuing
import OAuth
import Runtime
import Signing
import Testing

/// A directory of keys that goes with the test.
final class ScratchKeys {
    let root: String
    let source: KeyEncryptionKey.Source
    let directory: KeyDirectory

    init(_ credential: [UInt8] = SecureRandom.bytes(32)) throws {
        let name = Hexadecimal.text(SecureRandom.bytes(8))
        root = FileManager.default.temporaryDirectory.appending(path: "keys-\(name)").path()
        try FileWriting.makeDirectory(root)
        try FileWriting.replace("\(root)/kek", with: credential)
        source = .credential(path: "\(root)/kek")
        do {
            directory = try KeyDirectory.make(at: "\(root)/keys", unlockedBy: source)
        } catch {
            // No deinit runs for what was never made.
            try? FileManager.default.removeItem(atPath: root)
            throw error
        }
    }

    func vault() -> SigningKeyVault { SigningKeyVault(directory, on: BlockingExecutor()) }

    /// The private half of an ES256 key, as a thief with the key encryption key would get it.
    func privateKey(_ kid: String) throws -> SigningKey {
        let file = try FileReading.bytes(at: "\(root)/keys/\(kid).key", bytesMax: 4096)
        let purpose = Array("chancery-key-file-1\u{0}\(kid)".utf8)
        let der = try #require(directory.encryption.unwrap(file, for: purpose))
        return try SigningKey(pkcs8: der, for: .es256)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }
}

enum Sample {
    static let now = Instant(seconds: 1_795_232_554)

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    static func stream(_ number: UInt64) -> StreamID {
        StreamID(high: 0x019a_9f3c_2f10_7000, low: 0x8000_0000_0000_0000 | number)
    }

    /// A project whose ring holds `keys`, each current.
    static func project(
        _ keys: [GeneratedKey],
        status: SigningKeyRing.Status = .current,
        origin: String = "https://auth.example.com"
    ) throws -> Project {
        let number = try #require(ProjectNumber(1))
        let id = try #require(ProjectID("bank"))
        let ring = SigningKeyRing.State(
            keys: keys.map { key in
                SigningKeyRing.Key(
                    kid: key.kid,
                    algorithm: key.algorithm,
                    publicKey: key.publicKey,
                    status: status,
                    stagedAt: now
                )
            }
        )
        return Project(
            number: number,
            settings: ProjectSettings(
                id: id,
                name: "Example Bank",
                publicOrigin: origin,
                hosts: ["auth.example.com"],
                clients: []
            ),
            digest: TokenDigest(words: (0, 0, 0, 0)),
            configuration: StreamGuard(stream: stream(1), version: 1),
            keys: ring,
            keysStream: stream(2),
            keysVersion: 1
        )
    }

    static func accessClaims() throws -> AccessTokenClaims {
        AccessTokenClaims(
            token: TokenID(stream(3)),
            subject: stream(4).description,
            client: try #require(ClientID("client_a")),
            audience: ["https://api.example.com", "https://auth.example.com"],
            scope: try #require(Scope("openid offline_access")),
            issuedAt: now,
            expiresAt: now.adding(seconds: 900),
            session: SessionID(stream(5)),
            authentication: Authentication(methods: [.otp], at: now.adding(seconds: -54)),
            confirmation: Thumbprint(digest: TokenDigest(words: (1, 2, 3, 4)))
        )
    }

    static func idClaims() throws -> IDTokenClaims {
        IDTokenClaims(
            subject: SubjectID(stream(4)),
            audience: try #require(ClientID("client_a")),
            issuedAt: now,
            expiresAt: now.adding(seconds: 300),
            authentication: Authentication(methods: [.hwk, .user], at: now),
            nonce: "n-0S6_\"WzA2Mj",
            session: SessionID(stream(5))
        )
    }
}

extension AccessTokenClaims {
    /// What the token says, whichever key is behind it.
    var said: Self {
        var claims = self
        claims.key = nil
        return claims
    }
}

extension IDTokenClaims {
    /// As above.
    var said: Self {
        var claims = self
        claims.key = nil
        return claims
    }
}
