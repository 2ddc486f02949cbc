internal import Domain
internal import OAuth

// A code that comes again (WireContract 5.2 step 4).
extension AuthorizationCodeGrant {
    /// Ends what was issued from a replayed code once the grace is over or a token was used; before
    /// that nothing is recorded, not even that the request's proofs were used.
    ///
    /// - Returns: where it counts, now or since another one, the opening of the session whose
    ///   biometric keys end with it (decision 0188).
    func recordReplay(
        _ presentation: AuthorizationCode.Presentation,
        of code: inout Loaded<AuthorizationCode>,
        _ redemption: AuthorizationCode.Redemption,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> OfflineGrant.Opening? {
        var grant = try await work.loading(OfflineGrant.self, redemption.grant.stream)
        // What it is found not to hold is not written to, and a replay is recorded but once.
        work.require(grant)
        work.attributes.session = redemption.grant
        // What it repeats: the last that happened to the code, unless a replay is noted already.
        work.attributes.cause = Cause(stream: code.stream, version: code.version)
        let used = try await wasUsed(redemption, code.state.ticket, grant, presentation, work)
        let events: [AuthorizationCode.Event]
        do { events = try work.decide(.recordReplay(presentation, used: used), on: &code) } catch {
            throw .refused(.refusedCode("\(error)"))
        }
        if events.isEmpty { work.takeBack() }
        let opening = Self.keysEnd(
            grant.state,
            code.state,
            presentation,
            redemption,
            isRepeat: events.isEmpty
        )
        guard events.contains(where: { if case .replayed(_, true) = $0 { true } else { false } }),
            let session = grant.state.openSession, session.isLive(at: presentation.at)
        else { return opening }
        do {
            for end in Self.ends(of: redemption, code.state.ticket, session, presentation) {
                // A token too many may have ended all of it.
                guard case .open = grant.state else { break }
                try work.decide(end, on: &grant)
            }
        } catch { throw .refused(.refusedCode("\(error)")) }
        return opening
    }

    /// Whether a token that the code gave was used since (decision 0146).
    private func wasUsed(
        _ redemption: AuthorizationCode.Redemption,
        _ ticket: AuthorizationCode.Ticket?,
        _ grant: Loaded<OfflineGrant>,
        _ replay: AuthorizationCode.Presentation,
        _ work: Work
    ) async throws(CommandError<OAuthError>) -> Bool {
        if grant.state.session?.wasUsed(redemption, of: ticket) ?? false { return true }
        let after = replay.at.millisecondsSince(redemption.at)
        // What only joins or renews a session shares its keys with the session's other logins.
        guard let ticket, ticket.continuation == nil, ticket.renews == nil,
            after <= AuthorizationCode.replayGraceMilliseconds
        else { return false }
        guard let opening = grant.state.session?.opening else { return false }
        var unread = UnreadableStreams()
        do throws(StoreError) {
            let keys = SetUpKeys(commands.store, in: work.project, by: work.deadline)
            guard
                try await keys.resting(
                    on: redemption.grant,
                    opening,
                    alsoOver: true,
                    &unread
                ).isEmpty
            else { return true }
            try unread.report()
            return false
        } catch { throw .store(error) }
    }

    /// Of whose session the keys end, where any do.
    private static func keysEnd(
        _ grant: OfflineGrant.State,
        _ code: AuthorizationCode.State,
        _ replay: AuthorizationCode.Presentation,
        _ redemption: AuthorizationCode.Redemption,
        isRepeat: Bool
    ) -> OfflineGrant.Opening? {
        // What only joins or renews a session shares its keys with the session's other logins.
        guard case .replayed(let ticket, _) = code, ticket.value.continuation == nil,
            ticket.value.renews == nil, let opening = grant.session?.opening
        else { return nil }
        switch grant {
        case .absent: return nil
        case .revoked(_, .codeReplay): return opening
        case .open(let shared) where shared.value.isLive(at: replay.at): return opening
        // A thief may have ended it; much later it is a user who has logged out, and an old code.
        // One that was told to ask again does so behind the hour, too.
        case .open, .revoked:
            let after = replay.at.millisecondsSince(redemption.at)
            return after <= keysAfterEndMilliseconds * (isRepeat ? 2 : 1) ? opening : nil
        }
    }

    /// So long after its redemption a code that comes again ends keys of a session that is over.
    private static let keysAfterEndMilliseconds: Int64 = 3_600_000

    /// Ends the keys that rest on the session; where some are left the app hears that it may ask
    /// again, because nobody follows the end of a session that was over before.
    func endKeys(of id: SessionID, _ opening: OfflineGrant.Opening, _ caller: Caller)
        async throws(OAuthError)
    {
        var unread = UnreadableStreams()
        do throws(StoreError) {
            let ending = SessionEnding(commands: commands)
            _ = try await ending.endKeys(setUpIn: id, opening, caller.request, &unread)
            try unread.report()
        } catch {
            // What cannot be read does not get better by asking.
            if case .corrupt = error { return }
            throw OAuthError(error)
        }
    }

    /// What ends all that a code gave, and no more.
    private static func ends(
        of redemption: AuthorizationCode.Redemption,
        _ ticket: AuthorizationCode.Ticket?,
        _ session: OfflineGrant.Session,
        _ replay: AuthorizationCode.Presentation
    ) -> [OfflineGrant.Command] {
        let client = replay.client
        guard ticket?.continuation != nil || ticket?.renews != nil else {
            return [.revoke(.codeReplay)]
        }
        // What is dead already needs no end.
        guard let known = session.known(client) else { return [] }
        if ticket?.continuation != nil {
            // What a client holds since it came again is not from this code. Its family tells; the
            // time of a code without one may be that of a clock behind.
            let isOfThisStay =
                redemption.family.map { session.family($0) != nil }
                ?? (known.since <= redemption.at)
            // A client that only joined loses what it came by, not the session of the app.
            return isOfThisStay ? [.share(.leave(client, .reuse))] : []
        }
        var ends: [OfflineGrant.Command] = []
        let last = redemption.at.adding(seconds: OfflineGrant.accessTokenSecondsMax)
        if let token = redemption.token, replay.at < last {
            ends.append(.revokeAccessToken(token, by: client, expiresAt: last))
        }
        if let secret = session.deviceSecret, !secret.isRevoked,
            secret.mayBeHandedOut(since: redemption.at)
        {
            let end = OfflineGrant.Sharing.revokeDeviceSecret(
                secret.digest,
                at: replay.at,
                guestsSince: redemption.at
            )
            ends.append(.share(end))
        }
        return ends
    }
}

extension OfflineGrant.Session {
    /// Whether a token that the code gave was used since, as far as the stream tells.
    fileprivate func wasUsed(
        _ redemption: AuthorizationCode.Redemption,
        of ticket: AuthorizationCode.Ticket?
    ) -> Bool {
        // A renewal gives no refresh token: those of the session, used long since, tell nothing.
        guard ticket?.renews == nil else { return false }
        // Other families of the client are of its other tabs.
        if ticket?.continuation != nil {
            return redemption.family.flatMap(family).map(\.wasUsed) ?? false
        }
        return isUsed
    }
}

extension OfflineGrant.Family {
    fileprivate var wasUsed: Bool { generation > 1 || currentUsed }
}
