internal import Domain
internal import OAuth

extension Work {
    /// Shows a refresh token without using it up; false when it was reused and its session or
    /// family has just been ended.
    ///
    /// `owner`: its settings, disabled or not. `key`: what the request proves for the family's own
    /// key. Nobody proves here to be a client that must: a spent token of one is refused, and ends
    /// nothing (Security 4.2); nor does one of a client that is disabled, whose sessions
    /// wait for it.
    /// `unreadable`: what was wrong with a proof that came, for whom no key is shown then.
    mutating func show(
        _ presented: RefreshToken,
        of owner: ClientSettings?,
        key: Thumbprint?,
        unreadable: OAuthError? = nil,
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
            guard case .refused(.proofNeeded) = error else {
                throw .refused(OAuthError(error, shown.dpopKey, unreadable))
            }
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
        guard shown.proven else { throw .refused(.refusedRefreshToken("digest was never issued")) }
        do { return try present(shown, of: owner, on: &grant) } catch {
            throw .refused(OAuthError(error, shown.dpopKey, unreadable))
        }
    }

    /// Why a token that is shown is worth nothing.
    fileprivate enum Worthless: Error {
        case refused(OfflineGrant.Rejection)
        /// Spent, of a client that nobody has shown to be, or that is disabled.
        case spent
    }

    /// False when it was reused.
    private mutating func present(
        _ shown: OfflineGrant.Presentation,
        of owner: ClientSettings?,
        on grant: inout Loaded<OfflineGrant>
    ) throws(Worthless) -> Bool {
        let events: [OfflineGrant.Event]
        do throws(OfflineGrant.Rejection) {
            if let owner, owner.authenticationMethod == .none,
                project.enabledClient(owner.id) != nil
            {
                return try decide(.present(shown), on: &grant).isEmpty
            }
            events = try OfflineGrant.decide(.present(shown), in: grant.state)
        } catch { throw .refused(error) }
        guard events.isEmpty else { throw .spent }
        return true
    }
}

extension OAuthError {
    /// One answer for unknown, expired, reused and foreign tokens: nobody can tell them apart.
    static func refusedRefreshToken(_ cause: String, refusal: StaticString = "RT-001") -> Self {
        Self(.invalidGrant, "the refresh token is not valid", cause: cause, refusal: refusal)
    }

    fileprivate init(
        _ worthless: Work.Worthless,
        _ key: Thumbprint?,
        _ unreadable: OAuthError?
    ) {
        switch worthless {
        case .refused(.otherKey): self = unreadable ?? .otherKey(key, refusal: "RT-003")
        case .refused(let rejection): self = .refusedRefreshToken("\(rejection)")
        case .spent:
            self = .refusedRefreshToken("spent, of a client that must authenticate or is disabled")
        }
    }
}
