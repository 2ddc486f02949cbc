internal import Crypto
package import Domain
package import Issuing
internal import OAuth
internal import Runtime

/// Signs with the private keys of this node, verifies with the public keys of the ring.
///
/// A class, since use cases copy their signer.
package final class JWTSigner: TokenSigner {
    private let vault: SigningKeyVault?
    private let known = VerificationKeys()
    private let verified = VerifiedTokens()

    /// Signs with what `vault` holds.
    package init(_ vault: SigningKeyVault) { self.vault = vault }

    /// Verifies alone: a process without private keys.
    package init() { vault = nil }

    package func sign(_ claims: AccessTokenClaims, for project: Project)
        throws(SigningError) -> [UInt8]
    {
        let key = try privateKey(project.settings.signingAlgorithm, of: project)
        let payload = ClaimsJSON.write(claims, issuer: project.issuer)
        return try Self.token(key.headers.accessToken, payload, key)
    }

    package func sign(
        _ claims: IDTokenClaims,
        beside accessToken: [UInt8]?,
        with algorithm: SigningKeyRing.Algorithm,
        for project: Project
    ) throws(SigningError) -> [UInt8] {
        let key = try privateKey(algorithm, of: project)
        let hash = accessToken.map { Self.halfHash($0, algorithm) }
        let payload = ClaimsJSON.write(claims, issuer: project.issuer, accessTokenHash: hash)
        return try Self.token(key.headers.idToken, payload, key)
    }

    package func sign(type: String, claims: [UInt8], for project: Project)
        throws(SigningError) -> [UInt8]
    {
        let key = try privateKey(project.settings.signingAlgorithm, of: project)
        return try Self.token(key.headers.header(type), claims, key)
    }

    package func canSign(with algorithm: SigningKeyRing.Algorithm, for project: Project) -> Bool {
        (try? privateKey(algorithm, of: project)) != nil
    }

    package func verifyAccessToken(_ token: [UInt8], of project: Project, at now: Instant)
        -> AccessTokenClaims?
    {
        guard let (dots, key, kid) = parts(of: token, as: .accessToken, in: project),
            var claims = claims(of: token, dots, by: key, for: project.issuer),
            claims.expiresAt > now
        else { return nil }
        claims.key = kid
        return claims
    }

    package func verifyIDToken(_ token: [UInt8], of project: Project) -> IDTokenClaims? {
        guard let (dots, key, kid) = parts(of: token, as: .idToken, in: project),
            let payload = Self.payload(of: token, dots, by: key),
            var claims = ClaimsJSON.readIDToken(payload, issuer: project.issuer)
        else { return nil }
        claims.key = kid
        return claims
    }

    package func isByUnknownKey(_ token: [UInt8], of project: Project) -> Bool {
        guard let dots = CompactJWS.split(token) else { return false }
        let header = token[...dots.first]
        return !project.keys.keys.contains { key in
            guard let headers = known.entry(for: key)?.headers else { return false }
            return header.elementsEqual(headers.accessToken)
                || header.elementsEqual(headers.idToken)
        }
    }

    /// Where the dots of a token are, and its key.
    ///
    /// Its header is, byte for byte, one this ring's keys sign under: that fixes `typ`, `alg` and
    /// `kid` at once and leaves nothing for a token to choose.
    private func parts(
        of token: [UInt8],
        as kind: JWTHeaders.Kind,
        in project: Project
    ) -> (dots: (first: Int, second: Int), key: VerificationKey, kid: String)? {
        guard let dots = CompactJWS.split(token) else { return nil }
        for key in project.keys.keys where key.status.isBelieved {
            guard let entry = known.entry(for: key) else { continue }
            let expected = entry.headers.of(kind)
            guard expected.count == dots.first + 1, token.starts(with: expected) else { continue }
            return (dots, entry.key, key.kid)
        }
        return nil
    }

    /// What an access token says, whose signature is good; remembered, for it comes with every call
    /// of an API.
    ///
    /// Only after the header was found to be one of `key`'s: it names the key by its thumbprint, so
    /// the digest of the token stands for key and signature both.
    private func claims(
        of token: [UInt8],
        _ dots: (first: Int, second: Int),
        by key: VerificationKey,
        for issuer: String
    ) -> AccessTokenClaims? {
        let digest = TokenDigest(words: SHA256.words(token))
        if let claims = verified.claims(of: digest, for: issuer) { return claims }
        guard let payload = Self.payload(of: token, dots, by: key),
            let claims = ClaimsJSON.readAccessToken(payload, issuer: issuer)
        else { return nil }
        verified.note(claims, of: digest, bytes: token.count, for: issuer)
        return claims
    }

    /// The payload of a token that `key` signed; nil for a signature that is none of it.
    private static func payload(
        of token: [UInt8],
        _ dots: (first: Int, second: Int),
        by key: VerificationKey
    ) -> [UInt8]? {
        guard let signature = Base64URL.decode(token[(dots.second + 1)...]),
            key.accepts(signature, of: token.span.extracting(0..<dots.second))
        else { return nil }
        return Base64URL.decode(token[(dots.first + 1)..<dots.second])
    }

    private func privateKey(_ algorithm: SigningKeyRing.Algorithm, of project: Project)
        throws(SigningError) -> SigningKeyVault.PrivateKey
    {
        guard let kid = project.signingKey(algorithm), let key = vault?.privateKey(kid)
        else { throw .noKey(algorithm) }
        return key
    }

    private static func token(
        _ header: [UInt8],
        _ payload: [UInt8],
        _ key: SigningKeyVault.PrivateKey
    ) throws(SigningError) -> [UInt8] {
        var token: [UInt8] = []
        token.reserveCapacity(header.count + payload.count * 4 / 3 + 96)
        token += header
        Base64URL.append(payload, to: &token)
        let signature: [UInt8]
        do { signature = try key.key.sign(token) } catch { throw .failed(key.algorithm) }
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &token)
        return token
    }

    /// `at_hash`: the left half of the hash of the signature's algorithm (OpenID Connect 3.1.3.6).
    private static func halfHash(_ token: [UInt8], _ algorithm: SigningKeyRing.Algorithm)
        -> [UInt8]
    {
        switch algorithm {
        case .es256, .rs256: Array(SHA256.hash(token).prefix(16))
        case .edDSA: Array(SHA512.hash(token).prefix(32))  // Ed25519 hashes with SHA-512.
        }
    }
}
