internal import Crypto
package import Domain
package import Issuing
internal import OAuth
internal import Runtime

/// Checks client assertions (RFC 7523 section 3) by the rules of WireContract 6.3.
package struct AssertionVerifier: ClientAssertionVerifier {
    /// How far ahead an assertion may expire.
    package static let lifetimeMaxSeconds: Int64 = 600
    /// How far two clocks may differ.
    package static let leewaySeconds: Int64 = 60

    private static let jtiBytesMax = 128
    private let keys = RegisteredKeys()

    /// Keeps the public keys it has loaded.
    package init() {}

    package func verify(
        _ assertion: [UInt8],
        of client: ClientSettings,
        audiences: Set<String>,
        at now: Instant
    ) -> VerifiedAssertion? {
        guard let jws = CompactJWS(assertion), Self.isAssertionType(jws.header["typ"]),
            let name = jws.header["alg"]?.string, let algorithm = SignatureAlgorithm(named: name),
            !client.isFAPI || algorithm != .rs256,
            isSigned(jws, by: client, algorithm)
        else { return nil }
        let claims = jws.body.payload
        guard Self.names(claims["iss"], client.id), Self.names(claims["sub"], client.id),
            Self.addresses(claims["aud"], audiences, onlyText: client.isFAPI),
            let expiresAt = Self.freshExpiry(claims, at: now),
            let id = claims["jti"]?.string, 1...Self.jtiBytesMax ~= id.utf8.count
        else { return nil }
        return VerifiedAssertion(id: Array(id.utf8), expiresAt: expiresAt)
    }

    package func claimedSubject(of assertion: [UInt8]) -> ClientID? {
        CompactJWS(assertion)?.body.payload["sub"]?.string.flatMap { ClientID($0) }
    }

    /// RFC 7523 names none; these two are in use, and no other kind of JWT has them here.
    private static func isAssertionType(_ member: JSON?) -> Bool {
        guard let member else { return true }
        guard let type = member.string else { return false }
        return type.isSame(as: "JWT")
            || type.isSame(as: "client-authentication+jwt")
    }

    /// The registered key decides; without `kid` every key of the algorithm may be meant.
    private func isSigned(
        _ jws: CompactJWS,
        by client: ClientSettings,
        _ algorithm: SignatureAlgorithm
    ) -> Bool {
        var candidates = client.keys
        if let member = jws.header["kid"] {
            guard let kid = member.string else { return false }
            candidates.removeAll { !$0.kid.isSame(as: kid) }
        }
        return candidates.contains { candidate in
            keys.key(candidate, for: algorithm)?.accepts(jws.body.signature, of: jws.body.signed)
                ?? false
        }
    }

    private static func names(_ member: JSON?, _ client: ClientID) -> Bool {
        member?.string?.isSame(as: client.text) ?? false
    }

    /// `onlyText`: FAPI 2.0 Security Profile section 5.3.3.4 takes one string, no array.
    private static func addresses(
        _ member: JSON?,
        _ audiences: Set<String>,
        onlyText: Bool
    ) -> Bool {
        let list = onlyText ? nil : member?.strings
        let named = list ?? member?.string.map { [$0] } ?? []
        return named.contains { name in audiences.contains { $0.isSame(as: name) } }
    }

    /// `exp` when the times are right: at most 10 minutes ahead; `iat`, `nbf` within 60 s.
    private static func freshExpiry(_ claims: JSON, at now: Instant) -> Instant? {
        guard let exp = claims["exp"]?.numericDate else { return nil }
        let time = now.seconds
        guard exp > time - leewaySeconds, exp <= time + lifetimeMaxSeconds else { return nil }
        for name in ["iat", "nbf"] {
            guard let member = claims[name] else { continue }
            guard let value = member.numericDate,
                time - leewaySeconds...time + leewaySeconds ~= value
            else { return nil }
        }
        return Instant(seconds: exp)
    }
}
