internal import Domain
internal import OAuth

extension Work {
    /// Shows a refresh token without using it up; false when it was reused and its session or
    /// family has just been ended.
    ///
    /// `key`: what the request proves for the family's own key. Nobody proves here to be a client
    /// that must: a spent token of one is refused, and ends nothing (security.md section 4.2).
    mutating func show(
        _ presented: RefreshToken,
        of owner: ClientSettings?,
        key: Thumbprint?,
        on grant: inout Loaded<OfflineGrant>,
        _ store: any EventStore
    ) async throws(CommandError<OAuthError>) -> Bool {
        var shown = OfflineGrant.Presentation(
            family: presented.family,
            generation: presented.generation,
            presented: presented.digest,
            dpopKey: key,
            graceMilliseconds: (owner?.refreshTokenGraceSeconds ?? 0) * 1000,
            at: now
        )
        do { return try present(shown, of: owner, on: &grant) } catch {
            guard case .proofNeeded = error else { throw .refused(.init(presenting: error)) }
        }
        do {
            shown.proven = try await RecordedTokens(store: store).contains(
                presented.digest,
                family: presented.family,
                generation: presented.generation,
                in: grant.stream,
                by: deadline
            )
        } catch { throw .store(error) }
        guard shown.proven else { throw .refused(.refusedOwner("digest was never issued")) }
        do { return try present(shown, of: owner, on: &grant) } catch {
            throw .refused(.init(presenting: error))
        }
    }

    /// False when it was reused.
    private mutating func present(
        _ shown: OfflineGrant.Presentation,
        of owner: ClientSettings?,
        on grant: inout Loaded<OfflineGrant>
    ) throws(OfflineGrant.Rejection) -> Bool {
        if let owner, owner.authenticationMethod == .none {
            return try decide(.present(shown), on: &grant).isEmpty
        }
        let events = try OfflineGrant.decide(.present(shown), in: grant.state)
        guard events.isEmpty else { throw .otherClient }
        return true
    }
}

extension OAuthError {
    /// One answer for whatever makes a refresh token that is shown worthless.
    static func refusedOwner(_ cause: String, refusal: StaticString = "RT-001") -> Self {
        Self(.invalidGrant, "the refresh token is not valid", cause: cause, refusal: refusal)
    }

    fileprivate init(presenting rejection: OfflineGrant.Rejection) {
        if case .otherKey = rejection {
            self.init(.invalidDPoPProof, "the proof is by another key", refusal: "RT-003")
        } else {
            self = .refusedOwner("\(rejection)")
        }
    }
}
