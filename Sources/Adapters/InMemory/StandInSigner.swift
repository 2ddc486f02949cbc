package import Domain
package import Issuing
internal import Runtime

/// A signer that remembers what it signed: a token verifies when it is one of those.
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
        return signed.withLock { signed in
            signed.count += 1
            let text = Array("at.\(claims.token).\(signed.count)".utf8)
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
        signed.withLock { signed in
            signed.count += 1
            let text = Array("id.\(claims.session).\(signed.count)".utf8)
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
        !isKeyless.current
    }

    package func verifyAccessToken(_ token: [UInt8], of project: Project, at now: Instant)
        -> AccessTokenClaims?
    {
        let found = signed.withLock { $0.access[token] }
        guard let (claims, number) = found, number == project.number, now < claims.expiresAt else {
            return nil
        }
        return claims
    }

    package func verifyIDToken(_ token: [UInt8], of project: Project) -> IDTokenClaims? {
        let found = signed.withLock { $0.identity[token] }
        guard let (claims, number) = found, number == project.number else { return nil }
        return claims
    }

    /// There is but one key.
    package func isByUnknownKey(_ token: [UInt8], of project: Project) -> Bool { false }
}
