package import Domain
package import Issuing
internal import Runtime

/// A signer that remembers what it signed: a token verifies when it is one of those.
///
/// Its key must be believed, too; the signer has the private half of every key.
package final class StandInSigner: TokenSigner {
    private struct Signed {
        var access: [[UInt8]: (AccessTokenClaims, ProjectNumber)] = [:]
        var identity: [[UInt8]: (IDTokenClaims, ProjectNumber)] = [:]
        var count = 0
    }

    private let signed = Guarded(Signed())
    private let isKeyless = Guarded(false)

    package init() {}

    /// From now on it has no key for access tokens, or has one again.
    package func loseKey(_ isLost: Bool) { isKeyless.replace(with: isLost) }

    package func sign(_ claims: AccessTokenClaims, for project: Project)
        throws(SigningError) -> [UInt8]
    {
        guard !isKeyless.current else { throw .noKey(.es256) }
        var claims = claims
        claims.key = try Self.key(project.settings.signingAlgorithm, of: project)
        return signed.withLock { signed in
            signed.count += 1
            let header = "at.\(claims.key ?? "key")"
            let text = Array("\(header).\(claims.token).\(signed.count)".utf8)
            signed.access[text] = (claims, project.number)
            return text
        }
    }

    package func sign(
        _ claims: IDTokenClaims,
        beside accessToken: [UInt8]?,
        with algorithm: SigningKeyRing.Algorithm,
        for project: Project
    ) throws(SigningError) -> [UInt8] {
        var claims = claims
        claims.key = try Self.key(algorithm, of: project)
        return signed.withLock { signed in
            signed.count += 1
            let header = "id.\(claims.key ?? "key")"
            let text = Array("\(header).\(claims.session).\(signed.count)".utf8)
            signed.identity[text] = (claims, project.number)
            return text
        }
    }

    package func sign(type: String, claims: [UInt8], for project: Project)
        throws(SigningError) -> [UInt8]
    {
        Array("\(type).".utf8) + claims
    }

    package func canSign(with algorithm: SigningKeyRing.Algorithm, for project: Project) -> Bool {
        let ring = project.keys
        return !isKeyless.current && (ring.keys.isEmpty || ring.current(algorithm) != nil)
    }

    /// The project's current key; nil for one whose ring is empty: it has but one, without a name.
    private static func key(_ algorithm: SigningKeyRing.Algorithm, of project: Project)
        throws(SigningError) -> String?
    {
        guard !project.keys.keys.isEmpty else { return nil }
        guard let current = project.keys.current(algorithm) else { throw .noKey(algorithm) }
        return current.kid
    }

    package func verifyAccessToken(_ token: [UInt8], of project: Project, at now: Instant)
        -> AccessTokenClaims?
    {
        let found = signed.withLock { $0.access[token] }
        guard let (claims, number) = found, number == project.number, now < claims.expiresAt,
            project.believes(claims.key)
        else { return nil }
        return claims
    }

    /// What an access token says, whoever believes it; nil for none of this signer's.
    package func reading(_ token: [UInt8]) -> AccessTokenClaims? {
        signed.withLock { $0.access[token]?.0 }
    }

    package func verifyIDToken(_ token: [UInt8], of project: Project) -> IDTokenClaims? {
        let found = signed.withLock { $0.identity[token] }
        guard let (claims, number) = found, number == project.number,
            project.believes(claims.key)
        else { return nil }
        return claims
    }

    package func isByUnknownKey(_ token: [UInt8], of project: Project) -> Bool {
        let key = signed.withLock { $0.access[token]?.0.key ?? $0.identity[token]?.0.key }
        return key.map { project.keys.believes($0) == nil } ?? false
    }
}
