package import Domain
package import OAuth

/// Believes an access token that a caller brings to a resource of ours (WireContract 9.1).
///
/// A bound one needs the `DPoP` scheme and a fresh proof by its key (RFC 9449 section 7.1).
package struct AccessProofs: Sendable {
    private let verifier: TokenVerifier
    private let proofs: DPoPProofs
    private let memory: any ProofMemory
    private let clock: any WallClock

    package init(
        verifier: TokenVerifier,
        proofs: DPoPProofs,
        memory: any ProofMemory,
        clock: any WallClock
    ) {
        self.verifier = verifier
        self.proofs = proofs
        self.memory = memory
        self.clock = clock
    }

    /// A token as it came.
    package struct Presented: Sendable {
        package enum Scheme: Hashable, Sendable { case bearer, dpop }

        package var token: [UInt8]
        package var scheme: Scheme
        package var request: DPoPProofs.Request

        package init(token: [UInt8], scheme: Scheme, request: DPoPProofs.Request) {
            self.token = token
            self.scheme = scheme
            self.request = request
        }

        /// As the one who sent this hears it: a token that came as `DPoP` is asked for as such,
        /// whatever is wrong with it (RFC 9449 section 7.1), unless it is none of that kind.
        func challenging(_ error: OAuthError) -> OAuthError {
            guard scheme == .dpop, case .bearer(let code?, let scope) = error.challenge else {
                return error
            }
            var error = error
            error.challenge = .dpop(
                error: code,
                algorithms: ClientJWT.Kind.dpop.algorithms,
                scope: scope
            )
            return error
        }
    }

    /// A token with good signature, and the good proof of one that is bound, not yet used up.
    struct Believed: Sendable {
        let claims: AccessTokenClaims
        fileprivate let proof: DPoPProofs.Proof?
    }

    /// The claims of a token with good signature and, when it is bound, good proof.
    ///
    /// Whether its session lives is another question. A proof beside an unbound token is not read.
    /// - Throws: as `believe` and `useUp`.
    package func claims(
        of presented: Presented,
        in project: Project,
        by deadline: Deadline
    ) async throws(OAuthError) -> AccessTokenClaims {
        let believed = try await believe(presented, in: project, by: deadline)
        if let key = believed.proof?.key {
            try useUp(believed, of: ProofHolder(.key(key), in: project.number))
        }
        return believed.claims
    }

    /// As `claims`, for a caller that uses the proof up once nothing else is wrong.
    ///
    /// - Throws: `invalid_token`; `invalid_dpop_proof`; `use_dpop_nonce`;
    ///   `temporarily_unavailable` when the log does not tell whether there is such a key.
    func believe(
        _ presented: Presented,
        in project: Project,
        by deadline: Deadline
    ) async throws(OAuthError) -> Believed {
        let claims: AccessTokenClaims
        do { claims = try await verify(presented.token, in: project, by: deadline) } catch {
            throw presented.challenging(error)
        }
        switch (claims.confirmation, presented.scheme) {
        case (nil, .bearer): return Believed(claims: claims, proof: nil)
        case (nil, .dpop): throw .invalidToken
        case (.some, .bearer):
            var error = OAuthError.invalidToken
            error.description = "the access token is bound: send it as DPoP, with a proof"
            error.cause = "a bound token as Bearer"
            error.challenge = .dpop(error: .invalidToken, algorithms: Self.algorithms)
            throw error
        case (let key?, .dpop):
            let client = project.client(claims.client)
            do {
                let proof = try prove(presented, key, of: client, in: project)
                return Believed(claims: claims, proof: proof)
            } catch { throw Self.challenging(error) }
        }
    }

    /// Uses up the proof, if one was needed; `holder` pays for its place.
    ///
    /// - Throws: `invalid_dpop_proof` for one that was used; `x_rate_limited` and
    ///   `temporarily_unavailable` when no more proofs can be remembered.
    func useUp(_ believed: Believed, of holder: ProofHolder) throws(OAuthError) {
        guard let proof = believed.proof else { return }
        do { try memory.remember(proof, of: holder, at: clock.now) } catch {
            throw Self.challenging(error)
        }
    }

    private static func challenging(_ error: OAuthError) -> OAuthError {
        guard error.code == .invalidDPoPProof || error.code == .useDPoPNonce else { return error }
        var error = error
        error.status = 401
        error.challenge = .dpop(error: error.code, algorithms: algorithms)
        return error
    }

    /// A nonce for the caller's next proof; nil when the project asks for none.
    package func nonce(in project: Project) -> String? { proofs.nonce(in: project) }

    private static let algorithms = ClientJWT.Kind.dpop.algorithms

    private func verify(_ token: [UInt8], in project: Project, by deadline: Deadline)
        async throws(OAuthError) -> AccessTokenClaims
    {
        let claims: AccessTokenClaims?
        do {
            claims = try await verifier.accessToken(token, of: project, at: clock.now, by: deadline)
        } catch { throw OAuthError(error) }
        guard let claims else { throw .invalidToken }
        return claims
    }

    private func prove(
        _ presented: Presented,
        _ key: Thumbprint,
        of client: ClientSettings?,
        in project: Project
    ) throws(OAuthError) -> DPoPProofs.Proof {
        let proof = try proofs.read(
            presented.request,
            // What is bound stays bound, whatever the client's settings say meanwhile.
            by: client?.dpop == .disabled ? nil : client.map { DPoPProofs.Rules(of: $0) },
            accessToken: presented.token,
            in: project
        )
        guard let proof, proof.key == key else { throw .otherKey(proof?.key) }
        return proof
    }
}

extension ProofMemory {
    /// Uses a proof up, until its times refuse it.
    ///
    /// - Throws: `invalid_dpop_proof` for one that was used; `x_rate_limited`;
    ///   `temporarily_unavailable`.
    func remember(_ proof: DPoPProofs.Proof, of holder: ProofHolder, at now: Instant)
        throws(OAuthError)
    {
        var use = proof.use
        use.expiresAt = proof.refusedFrom
        switch note(use, of: holder, at: now) {
        case .first: return
        case .used: throw .usedProof
        case .tooMany:
            throw OAuthError(.rateLimited, "too many requests", cause: "proofs of one holder")
        case .full:
            throw OAuthError(.temporarilyUnavailable, "try again", cause: "proofs of all")
        }
    }
}
