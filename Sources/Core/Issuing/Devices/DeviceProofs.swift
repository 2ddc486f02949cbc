package import Domain
package import OAuth

/// Checks what phones signed, in one place for all who take such a JWT (WireContract 6.2).
///
/// The order is `open`, then the caller's choice of the key, `requireSignature`, `check`; the
/// challenge it answers with is spent in the deciding append.
package struct DeviceProofs: Sendable {
    private let reader: any ClientJWTReader
    private let challenges: Challenges

    package init(reader: any ClientJWTReader, challenges: Challenges) {
        self.reader = reader
        self.challenges = challenges
    }

    /// How far `iat` may be from now: phones' clocks are bad, freshness comes from the challenge.
    package static let leewaySeconds: Int64 = 300
    /// The longest life a JWT may give itself.
    package static let lifetimeSecondsMax: Int64 = 600

    /// What a payload must say, when it says it.
    package struct Expected: Sendable {
        package var purpose: Challenges.Purpose
        /// `client_id`; nil: compared elsewhere.
        package var client: ClientID?
        package var redirectURI: RedirectURI?
        /// The text of the PKCE challenge.
        package var codeChallenge: [UInt8]?
        /// Whether all of these must be there (`x_app2app_strict_jwt`).
        package var isStrict = false
    }

    /// Steps 1 to 3.
    package func open(_ text: [UInt8], as kind: ClientJWT.Kind) throws(OAuthError) -> ClientJWT {
        do { return try reader.open(text, as: kind) } catch {
            throw .refusedJWT("\(error)", refusal: "DJ-001")
        }
    }

    /// Step 5.
    package func requireSignature(of jwt: ClientJWT, by key: DeviceKey) throws(OAuthError) {
        guard reader.isSigned(jwt, by: key) else {
            throw .refusedJWT("signature", refusal: "DJ-002")
        }
    }

    /// Whether it answers a challenge of ours that is still good, whoever signed.
    package func isChallenged(
        _ jwt: ClientJWT,
        _ purpose: Challenges.Purpose,
        in project: Project,
        at now: Instant
    ) -> Bool {
        guard let text = jwt.payload["challenge"]?.string else { return false }
        return challenges.read(Array(text.utf8), for: purpose, in: project, at: now) != nil
    }

    /// Steps 6 to 8; only for a JWT whose signature is right.
    package func check(
        _ jwt: ClientJWT,
        _ expected: Expected,
        in project: Project,
        at now: Instant
    ) throws(OAuthError) -> SingleUse {
        try Self.checkTimes(of: jwt.payload, at: now)
        try Self.checkBindings(of: jwt.payload, expected, issuer: project.issuer)
        guard let text = jwt.payload["challenge"]?.string,
            let use = challenges.read(
                Array(text.utf8),
                for: expected.purpose,
                in: project,
                at: now
            )
        else { throw .refusedJWT("challenge", refusal: "DJ-005") }
        return use
    }

    private static func checkTimes(of payload: JSON, at now: Instant) throws(OAuthError) {
        let time = now.seconds
        guard let issued = payload["iat"]?.numericDate,
            let expiry = payload["exp"]?.numericDate,
            time - leewaySeconds...time + leewaySeconds ~= issued,
            expiry >= time - leewaySeconds, expiry <= issued + lifetimeSecondsMax
        else { throw .refusedJWT("times", refusal: "DJ-003") }
        if let member = payload["nbf"] {
            guard let start = member.numericDate, start <= time + leewaySeconds else {
                throw .refusedJWT("nbf", refusal: "DJ-003")
            }
        }
    }

    private static func checkBindings(of payload: JSON, _ expected: Expected, issuer: String)
        throws(OAuthError)
    {
        if let audience = payload["aud"] {
            let names = audience.strings ?? audience.string.map { [$0] } ?? []
            guard names.contains(where: { $0.isSame(as: issuer) }) else {
                throw .refusedJWT("aud", refusal: "DJ-004")
            }
        } else if expected.isStrict {
            throw .refusedJWT("aud is missing", refusal: "DJ-004")
        }
        let wanted = [
            ("client_id", expected.client.map { Array($0.text.utf8) }),
            ("redirect_uri", expected.redirectURI.map { Array($0.text.utf8) }),
            ("code_challenge", expected.codeChallenge),
        ]
        for (name, value) in wanted {
            guard let value else { continue }
            guard let member = payload[name] else {
                if expected.isStrict {
                    throw .refusedJWT("\(name) is missing", refusal: "DJ-004")
                }
                continue
            }
            guard member.string?.utf8.elementsEqual(value) == true else {
                throw .refusedJWT(name, refusal: "DJ-004")
            }
        }
        if let info = payload["device_info"], info.members == nil {
            throw .refusedJWT("device_info", refusal: "DJ-004")
        }
    }
}

extension OAuthError {
    /// One answer for all that can be wrong with a JWT of a phone; only the log hears which.
    static func refusedJWT(_ cause: String, refusal: StaticString) -> Self {
        Self(.invalidRequest, "the signed request is not valid", cause: cause, refusal: refusal)
    }

    /// A challenge that was used before.
    static var usedChallenge: Self { refusedJWT("used challenge", refusal: "DJ-005") }
}
