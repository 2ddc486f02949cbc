package import Domain
package import OAuth

/// Checks proofs of possession (RFC 9449 section 4.3; WireContract 6.4).
package struct DPoPProofs: Sendable {
    private let reader: any ClientJWTReader
    private let nonces: DPoPNonces
    private let digester: any Digester
    private let names: StreamNames
    private let clock: any WallClock
    private let asksForNonces: Bool

    /// `asksForNonces`: false for a process that shares no secret with others of its kind, so that
    /// none would know a nonce of another one; what a project says of nonces is passed over then.
    package init(
        reader: any ClientJWTReader,
        digester: any Digester,
        clock: any WallClock,
        asksForNonces: Bool = true
    ) {
        self.reader = reader
        nonces = DPoPNonces(digester)
        self.digester = digester
        names = StreamNames(digester)
        self.clock = clock
        self.asksForNonces = asksForNonces
    }

    /// How far a proof's times may be from now.
    package static let leewaySeconds: Int64 = 300
    /// How far ahead, for clients whose access tokens are bound.
    package static let strictLeewaySeconds: Int64 = 60
    /// How long a `jti` stays used.
    package static let keptSeconds: Int64 = 600

    private static let idBytesMax = 64

    /// What a request brought, and what its proof must be for.
    package struct Request: Sendable {
        /// The values of every `DPoP` header.
        package var headers: [[UInt8]]
        package var method: String
        /// The URL as the client knows it, without query.
        package var url: String

        package init(headers: [[UInt8]], method: String, url: String) {
            self.headers = headers
            self.method = method
            self.url = url
        }
    }

    /// What a client's settings say of its proofs; of the settings themselves each reading would
    /// count every member.
    package struct Rules: Sendable {
        fileprivate let dpop: ClientSettings.DPoP
        fileprivate let isFAPI: Bool

        package init(of client: ClientSettings) {
            dpop = client.dpop
            isFAPI = client.isFAPI
        }
    }

    /// A proof that is right, but for its single use.
    package struct Proof: Hashable, Sendable {
        package var key: Thumbprint
        package var use: SingleUse
        /// `iat`, or `nbf` when that is later.
        package var validFrom: Int64
        /// From then on its times refuse it, so nobody needs to remember its use.
        package var refusedFrom: Instant

        /// Whether it was made further ahead than clients whose access tokens are bound may.
        func isAhead(of now: Instant) -> Bool {
            validFrom > now.seconds + strictLeewaySeconds
        }
    }

    /// The proof of a request; nil when it brought none.
    ///
    /// An invalid one is refused even when nothing is bound. `rules`: nil where it is not known
    /// whose it is, or no matter. `accessToken`: only where `ath` must name it.
    ///
    /// - Throws: `invalid_dpop_proof`, its description names the rule; `use_dpop_nonce`.
    package func read(
        _ request: Request,
        by rules: Rules?,
        accessToken: [UInt8]? = nil,
        in project: Project
    ) throws(OAuthError) -> Proof? {
        guard rules?.dpop != .disabled, let text = request.headers.first else { return nil }
        guard request.headers.count == 1 else { throw .refusedProof("more than one proof") }
        let jwt: ClientJWT
        do { jwt = try reader.open(text, as: .dpop) } catch {
            throw .refusedProof("the proof is malformed", cause: "\(error)")
        }
        // FAPI 2.0 Security Profile section 5.4: as for the client's assertions.
        if let rules, rules.isFAPI, jwt.algorithm.isSame(as: "RS256") {
            throw .refusedProof("alg is not one that the client may use")
        }
        guard let key = jwt.key, reader.isSigned(jwt, by: key) else {
            throw .refusedProof("the signature of the proof is wrong")
        }
        try Self.checkTarget(of: jwt.payload, request)
        let now = clock.now
        let isBound = rules?.dpop == .bound
        let ahead = isBound ? Self.strictLeewaySeconds : Self.leewaySeconds
        let (issued, start) = try Self.checkTimes(of: jwt.payload, at: now, aheadSeconds: ahead)
        guard let id = jwt.payload["jti"]?.string, 1...Self.idBytesMax ~= id.utf8.count else {
            throw .refusedProof("jti is missing or too long")
        }
        if let accessToken { try checkHash(of: jwt.payload, accessToken) }
        try checkNonce(of: jwt.payload, in: project, at: now)
        return Proof(
            key: key.thumbprint,
            use: use(id, key.thumbprint, issued, project.number),
            validFrom: max(issued, start),
            refusedFrom: Instant(seconds: issued + Self.leewaySeconds + 1)
        )
    }

    /// A fresh nonce for the next proof; nil when none is asked for.
    package func nonce(in project: Project) -> String? {
        guard asksForNonces, project.settings.requiresDPoPNonce else { return nil }
        return nonces.issue(in: project, at: clock.now)
    }

    private static func checkTarget(of payload: JSON, _ request: Request) throws(OAuthError) {
        guard payload["htm"]?.string?.isSame(as: request.method) == true else {
            throw .refusedProof("htm is not the method")
        }
        guard let target = payload["htu"]?.string else { throw .refusedProof("htu is missing") }
        // Query and fragment do not count (RFC 9449 section 4.3).
        if target.isSame(as: request.url) { return }
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.elementsEqual(request.url.utf8) else {
            throw .refusedProof("htu is not the endpoint")
        }
    }

    /// - Returns: `iat`, and `nbf` or else `iat` again.
    private static func checkTimes(of payload: JSON, at now: Instant, aheadSeconds: Int64)
        throws(OAuthError) -> (issued: Int64, start: Int64)
    {
        let time = now.seconds
        guard let issued = payload["iat"]?.numericDate,
            time - leewaySeconds...time + aheadSeconds ~= issued
        else { throw .mistimedProof }
        if let member = payload["exp"] {
            guard let expiry = member.numericDate, expiry >= time - leewaySeconds else {
                throw .refusedProof("the proof has expired")
            }
        }
        if let member = payload["nbf"] {
            guard let start = member.numericDate, start <= time + aheadSeconds else {
                throw .refusedProof("the proof is not valid yet")
            }
            return (issued, start)
        }
        return (issued, issued)
    }

    private func checkHash(of payload: JSON, _ accessToken: [UInt8]) throws(OAuthError) {
        let hash = Base64URL.encode(digester.sha256(accessToken).bytes)
        guard payload["ath"]?.string?.utf8.elementsEqual(hash) == true else {
            throw .refusedProof("ath is not the access token's")
        }
    }

    private func checkNonce(of payload: JSON, in project: Project, at now: Instant)
        throws(OAuthError)
    {
        guard asksForNonces, project.settings.requiresDPoPNonce else { return }
        guard let nonce = payload["nonce"]?.string,
            nonces.isValid(Array(nonce.utf8), in: project, at: now)
        else {
            throw OAuthError(
                .useDPoPNonce,
                "use the nonce of the DPoP-Nonce header",
                refusal: "DP-002",
                nonce: nonces.issue(in: project, at: now)
            )
        }
    }

    private func use(
        _ id: String,
        _ key: Thumbprint,
        _ issued: Int64,
        _ project: ProjectNumber
    ) -> SingleUse {
        let end = Instant(seconds: issued + Self.keptSeconds)
        let stream = names.dpopProof(
            Array(id.utf8),
            by: key,
            refusedAfter: end,
            in: project
        )
        return SingleUse(purpose: .dpop, stream: stream, expiresAt: end)
    }
}

extension OAuthError {
    /// A proof that breaks a rule, which the description names (WireContract 6.4).
    static func refusedProof(_ rule: StaticString, cause: String = "") -> Self {
        Self(.invalidDPoPProof, rule, cause: cause, refusal: "DP-001")
    }

    /// No proof where one must be.
    static func missingProof(refusal: StaticString = "DP-001") -> Self {
        Self(
            .invalidDPoPProof,
            "a proof is missing: send one in the DPoP header",
            refusal: refusal
        )
    }

    /// A proof by another key than the one that something is bound to; `shown`: by which, nil
    /// without a proof.
    static func otherKey(_ shown: Thumbprint?, refusal: StaticString = "DP-001") -> Self {
        guard shown != nil else { return missingProof(refusal: refusal) }
        return Self(.invalidDPoPProof, "the proof is by another key", refusal: refusal)
    }

    /// A proof that was made too long ago, or too far ahead.
    static var mistimedProof: Self { refusedProof("iat is not now") }

    /// A proof that was sent before.
    static var usedProof: Self { refusedProof("the proof was used before") }
}
