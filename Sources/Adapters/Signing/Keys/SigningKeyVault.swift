internal import Crypto
package import Domain
package import Issuing
package import Runtime

/// The private halves of the signing keys: files, and the snapshot all loops sign with.
package final class SigningKeyVault: KeyVault {
    private let directory: KeyDirectory
    private let blocking: BlockingExecutor
    private let held = Guarded<[String: PrivateKey]>([:])

    /// One private key with the headers it signs under, rendered once.
    ///
    /// A class, because each signature takes it out of the lock: one reference, not five.
    final class PrivateKey: Sendable {
        let key: SigningKey
        let algorithm: SigningKeyRing.Algorithm
        let headers: JWTHeaders

        init(key: SigningKey, algorithm: SigningKeyRing.Algorithm, headers: JWTHeaders) {
            self.key = key
            self.algorithm = algorithm
            self.headers = headers
        }
    }

    /// Reads and writes in `directory`, on threads that may block.
    package init(_ directory: KeyDirectory, on blocking: BlockingExecutor) {
        self.directory = directory
        self.blocking = blocking
    }

    /// Makes a key pair; it signs as soon as the ring says so.
    package func generate(_ algorithm: SigningKeyRing.Algorithm, for project: ProjectNumber)
        async throws(KeyVaultError) -> GeneratedKey
    {
        let made: Result<GeneratedKey, KeyVaultError>
        do {
            made = try await blocking.run { [self] in
                Result { () throws(KeyVaultError) in try generateNow(algorithm) }
            }
        } catch { throw .unavailable }
        return try made.get()
    }

    /// Asks the directory: what this process still holds may be lost there.
    package func fault(of kid: String, _ algorithm: SigningKeyRing.Algorithm)
        async throws(KeyVaultError) -> String?
    {
        let read: Result<Bool, KeyFileError>
        do {
            read = try await blocking.run { [directory] in
                Result { () throws(KeyFileError) in
                    try directory.signingKey(kid, for: algorithm) != nil
                }
            }
        } catch { throw .unavailable }
        switch read {
        case .success(let isThere):
            return isThere ? nil : UnheldKey(kid: kid, reason: .missing).finding
        case .failure(.unreadable(_, .system)): throw .unavailable
        case .failure(let error): return "\(error)"
        }
    }

    /// As `generate`, on a thread that may block.
    package func generateNow(_ algorithm: SigningKeyRing.Algorithm)
        throws(KeyVaultError) -> GeneratedKey
    {
        guard let key = try? SigningKey.generate(SignatureAlgorithm(algorithm)) else {
            throw .unavailable
        }
        let kid = PublicJWK.thumbprint(of: key.publicKey)
        do { try directory.write(key, as: kid) } catch { throw .unwritable("\(error)") }
        hold(key, kid, algorithm)
        let jwk = PublicJWK.write(key.publicKey, algorithm: algorithm.rawValue)
        return GeneratedKey(kid: kid, algorithm: algorithm, publicKey: jwk)
    }

    /// Reads the private halves of what a ring may sign with, as far as they are not held; answers
    /// those that cannot be used here.
    ///
    /// Called before the first request, whenever a ring changes and every few seconds: another node
    /// may have made the key, and a file may come late.
    ///
    /// - Throws: `.unavailable` when too much waits for a disk, or the process ends.
    package func load(_ ring: SigningKeyRing.State) async throws(KeyVaultError) -> [UnheldKey] {
        guard !unheld(ring).isEmpty else { return [] }
        do { return try await blocking.run { [self] in loadNow(ring) } } catch {
            throw .unavailable
        }
    }

    /// As `load`, on a thread that may block.
    package func loadNow(_ ring: SigningKeyRing.State) -> [UnheldKey] {
        unheld(ring).compactMap { key in
            do throws(KeyFileError) {
                guard let found = try directory.signingKey(key.kid, for: key.algorithm) else {
                    return UnheldKey(kid: key.kid, reason: .missing)
                }
                hold(found, key.kid, key.algorithm)
                return nil
            } catch { return UnheldKey(kid: key.kid, reason: .unusable(error)) }
        }
    }

    /// Whether this process has the private half of `kid`; once it has, it keeps it.
    package func holds(_ kid: String) -> Bool { privateKey(kid) != nil }

    private func unheld(_ ring: SigningKeyRing.State) -> [SigningKeyRing.Key] {
        ring.keys.filter { key in
            (key.status == .staged || key.status == .current) && !holds(key.kid)
        }
    }

    /// The private half of `kid`, when this process holds it.
    func privateKey(_ kid: String) -> PrivateKey? { held.withLock { $0[kid] } }

    private func hold(_ key: SigningKey, _ kid: String, _ algorithm: SigningKeyRing.Algorithm) {
        let headers = JWTHeaders(kid: kid, algorithm: algorithm)
        let made = PrivateKey(key: key, algorithm: algorithm, headers: headers)
        held.withLock { $0[kid] = made }
    }
}
