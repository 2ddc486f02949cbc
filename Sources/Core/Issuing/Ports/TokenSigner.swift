package import Domain

/// Signs and verifies the JWTs of a project with the keys of its ring (WireContract 8.3–8.5).
package protocol TokenSigner: Sendable {
    /// An access token of type `at+jwt` (RFC 9068), compact serialization.
    func sign(_ claims: AccessTokenClaims, for project: Project) throws(SigningError) -> [UInt8]

    /// An ID token of type `JWT`; `accessToken` fills `at_hash`.
    func sign(
        _ claims: IDTokenClaims,
        beside accessToken: [UInt8]?,
        with algorithm: SigningKeyRing.Algorithm,
        for project: Project
    ) throws(SigningError) -> [UInt8]

    /// A JWT of another type whose claims the caller wrote as a JSON object.
    func sign(type: String, claims: [UInt8], for project: Project) throws(SigningError) -> [UInt8]

    /// Whether this node has the private half of the project's current key of `algorithm`.
    ///
    /// It stays so for the same `project`: a key that is held is never let go.
    func canSign(with algorithm: SigningKeyRing.Algorithm, for project: Project) -> Bool

    /// The claims of an access token with a good signature of this project and issuer, not expired.
    func verifyAccessToken(_ token: [UInt8], of project: Project, at now: Instant)
        -> AccessTokenClaims?

    /// As above, of an ID token; an expired one verifies, too (WireContract 4.1).
    func verifyIDToken(_ token: [UInt8], of project: Project) -> IDTokenClaims?

    /// Whether `token` may be by a key of the project that `project` does not hold: it has the
    /// form of a JWS, and its header is none that a key of the ring signs under.
    func isByUnknownKey(_ token: [UInt8], of project: Project) -> Bool
}
