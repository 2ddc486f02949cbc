internal import Domain
internal import OAuth

extension BiometricRequestGrant {
    /// Registers a key for the user of a fresh session of the same client, and has them told by
    /// mail.
    ///
    /// Never `invalid_grant` for what is wrong with the key: the session is alive.
    func setUp(_ jwt: ClientJWT, kid: String, for caller: Caller) async throws(OAuthError) {
        guard let presented = caller.accessToken else { throw .missingSession }
        let claims = try await access.claims(
            of: presented,
            in: caller.project,
            by: caller.deadline
        )
        guard claims.audience.contains(caller.project.issuer), let session = claims.session else {
            throw presented.challenging(.invalidToken)
        }
        guard let subject = SubjectID(text: claims.subject.utf8) else { throw .invalidToken }
        let number = caller.project.number
        let stream = commands.names.biometricKey(kid, in: number)
        let mail = StreamID.timeOrdered(at: commands.clock.now, from: commands.entropy)
        var seen = Seen()
        let ended: SessionID?
        do {
            // All setups of a user take turns, or each would find the room that all of them share.
            ended = try await commands.run(
                caller.request,
                on: commands.names.biometricKeys(of: subject, in: number)
            ) { (work: inout Work) async throws(CommandError<OAuthError>) -> SessionID? in
                let ending = try await attempt(
                    jwt,
                    kid,
                    mail,
                    session,
                    claims,
                    caller,
                    &seen,
                    in: &work
                )
                try await queue(.biometricKey(stream, mail: mail), work)
                return ending
            }
        } catch { throw presented.challenging(OAuthError(error)) }
        if let ended { await commands.cascade(from: ended, caller.request) }
        mailIsDue()
    }

    /// Committed before the append: no key without its mail.
    ///
    /// What loses the append leaves a row that names no key's mail.
    private func queue(_ occasion: MailOccasion, _ work: Work)
        async throws(CommandError<OAuthError>)
    {
        do {
            try await mailQueue.enqueue(occasion, project: work.project.number, by: work.deadline)
        } catch { throw .store(error) }
    }

    /// What was looked at of the user's keys, once, however often the command is tried: a look may
    /// take longer than a decision may.
    private struct Seen {
        var room: BiometricKeys.Room?
        /// Those that may give way, in order.
        var idle: [StreamID]?
    }

    private var keys: BiometricKeys {
        BiometricKeys(commands: commands, sealer: sealer)
    }

    /// All keys of the user when one of them must give way, otherwise none.
    ///
    /// Looked at only for a session that lives: an app whose session has ended erases it on hearing
    /// that.
    private func keysThatFill(_ work: Work, of subject: SubjectID, _ seen: inout Seen)
        async throws(CommandError<OAuthError>) -> [StreamID]
    {
        let room: BiometricKeys.Room
        if let known = seen.room {
            room = known
        } else {
            do throws(StoreError) {
                room = try await keys.room(for: subject, by: work.deadline)
            } catch { throw .store(error) }
            seen.room = room
        }
        switch room {
        case .free: return []
        case .full(let streams): return streams
        case .tomorrow(let seconds):
            throw .refused(
                OAuthError(
                    .rateLimited,
                    "too many keys were added today",
                    refusal: "BK-010",
                    retryAfterSeconds: seconds
                )
            )
        }
    }

    /// Takes a key away that gives way, as its user could; the session that it had opened, which
    /// ends with it.
    ///
    /// One that cannot be read, or whose session cannot, leaves that to the next one.
    private func makeRoom(
        among streams: [StreamID],
        _ client: ClientID,
        _ session: SessionID,
        _ subject: SubjectID,
        _ seen: inout Seen,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> SessionID? {
        guard !streams.isEmpty else { return nil }
        do throws(StoreError) {
            let idle: [StreamID]
            if let known = seen.idle {
                idle = known
            } else {
                idle = try await keys.idle(
                    of: streams,
                    at: client,
                    in: session,
                    by: work.deadline
                )
                seen.idle = idle
            }
            for key in idle {
                do throws(StoreError) {
                    // One that was removed meanwhile has made room, too.
                    return try await work.removeBiometricKey(key, of: subject, .user)?.key.session
                } catch {
                    guard case .corrupt = error else { throw error }
                }
            }
        } catch { throw .store(error) }
        throw .refused(
            OAuthError(.invalidRequest, "the user has too many keys", refusal: "BK-009")
        )
    }

    /// The session of the access token, in the order of WireContract 5.5.
    private func session(
        _ id: SessionID,
        _ claims: AccessTokenClaims,
        _ client: ClientSettings,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> OfflineGrant.Session {
        let session = try await work.liveSession(
            id,
            by: claims,
            of: client.id,
            stranger: OAuthError(
                .unauthorizedClient,
                "the access token is of another client",
                refusal: "BK-002"
            )
        )
        // The key will log in with all that the client may: who sets it up must hold as much.
        guard claims.scope.contains(UserAccess.scope) else {
            throw .refused(.insufficientScope(UserAccess.scope))
        }
        return session
    }

    private func attempt(
        _ jwt: ClientJWT,
        _ kid: String,
        _ mail: StreamID,
        _ id: SessionID,
        _ claims: AccessTokenClaims,
        _ caller: Caller,
        _ seen: inout Seen,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> SessionID? {
        let client = try await work.admit(caller).value
        try work.requireKey(claims.key, refused: .invalidToken)
        guard let rules = client.biometric else { throw .refused(.withoutBiometricKeys) }
        let session = try await session(id, claims, client, in: &work)
        let subject = session.opening.subject
        work.attributes.subject = subject
        work.attributes.session = id
        try requireYoung(session, claims, maxAge: rules.setupMaxAgeSeconds, at: work.now)
        let others = try await keysThatFill(work, of: subject, &seen)
        let (key, use) = try prove(jwt, client, work)
        let ended = try await makeRoom(among: others, client.id, id, subject, &seen, in: &work)
        let device = try await work.sealed(
            caller.device(saidIn: jwt),
            subject,
            on: work.names.biometricKey(kid, in: work.project.number),
            sealer
        )
        let registration = BiometricKey.Registration(
            subject: subject,
            client: client.id,
            kid: kid,
            key: key,
            algorithm: jwt.algorithm,
            device: device,
            mail: mail,
            approval: session.authentication.approval,
            enabledAt: work.now
        )
        try await enable(registration, in: &work)
        // A mail is queued before the append: not for a challenge that was used.
        try await work.spend(use, looksFirst: true, refused: .usedChallenge)
        return ended
    }

    private func requireYoung(
        _ session: OfflineGrant.Session,
        _ claims: AccessTokenClaims,
        maxAge: Int64,
        at now: Instant
    ) throws(CommandError<OAuthError>) {
        // Of a token that is older than the session's newest login, its own (Security 4.4).
        let newest = session.authentication.at
        let own = claims.authentication?.at ?? newest
        let login = own.seconds < newest.seconds ? own : newest
        let age = now.millisecondsSince(login)
        guard maxAge == 0 || age <= maxAge * 1000 else {
            throw .refused(
                OAuthError(.invalidRequest, "the login is too long ago", refusal: "BK-003")
            )
        }
    }

    private func prove(_ jwt: ClientJWT, _ client: ClientSettings, _ work: Work)
        throws(CommandError<OAuthError>) -> (DeviceKey, SingleUse)
    {
        do throws(OAuthError) {
            guard let key = jwt.key else {
                throw .refusedJWT("jwk is missing", refusal: "DJ-001")
            }
            try devices.requireSignature(of: jwt, by: key)
            let expected = DeviceProofs.Expected(purpose: .biometric, client: client.id)
            return (key, try devices.check(jwt, expected, in: work.project, at: work.now))
        } catch { throw .refused(error) }
    }

    /// Both the name and the material must be new to the project, in one append.
    private func enable(_ registration: BiometricKey.Registration, in work: inout Work)
        async throws(CommandError<OAuthError>)
    {
        let number = work.project.number
        var named = try await work.loading(
            BiometricKey.self,
            work.names.biometricKey(registration.kid, in: number)
        )
        var material = try await work.loading(
            BiometricKey.self,
            work.names.biometricMaterial(registration.key.thumbprint, in: number)
        )
        do {
            try work.decide(.enable(registration), on: &named)
            try work.decide(.claim(kid: registration.kid), on: &material)
        } catch {
            throw .refused(
                OAuthError(.invalidRequest, "the key is not new", refusal: "BK-004")
            )
        }
    }
}

extension OAuthError {
    /// Without an access token there is no error to tell of one (WireContract 9.1).
    fileprivate static var missingSession: Self {
        var error = sessionEnded
        error.description = "the access token is missing: send it in the Authorization header"
        error.challenge = .bearer(error: nil)
        return error
    }
}
