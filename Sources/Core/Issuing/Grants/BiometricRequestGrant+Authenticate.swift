internal import Domain
internal import OAuth

extension BiometricRequestGrant {
    /// What one attempt decided.
    enum Outcome {
        /// `former`: the key's session until now, which has just ended.
        case granted(TokenIssuance.Grant, code: OpaqueToken?, former: Loaded<OfflineGrant>?)
        /// The signature is wrong, and has just been counted.
        case failed
    }

    /// Opens a session on the word of a key alone; with an approval, lets another app in, too.
    func authenticate(_ login: Login, for caller: Caller)
        async throws(OAuthError) -> TokenResponse
    {
        let stream = commands.names.biometricKey(login.kid, in: caller.project.number)
        let outcome: Outcome
        do {
            outcome = try await commands.run(paced(caller.request, by: stream), on: stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await attempt(login, by: stream, caller, in: &work)
            }
        } catch {
            let error = OAuthError(error)
            // Not where it is decided: what is remembered of the key may be looked at again.
            if error.isTooManyLogins { pace.countRefused(stream) }
            throw error
        }
        switch outcome {
        case .failed: throw .invalidCredentials("signature")
        case .granted(let grant, let code, let former):
            if let former {
                let session = SessionID(former.stream)
                await commands.cascade(from: session, being: former.state, caller.request)
            }
            var response = try issuance.response(grant, in: caller.project)
            response.code = code?.text
            return response
        }
    }

    /// The command, whose login counts towards the pace of its key once it is committed: who has an
    /// old JWT, or the key's name, uses nothing up.
    ///
    /// Within its turn at the key, so that the next login there knows of it.
    private func paced(_ request: CommandRequest, by key: StreamID) -> CommandRequest {
        var request = request
        request.committed = { [pace] commit in
            // A wrong signature is recorded, too, and opens no session.
            if commit.attributes.session != nil { pace.count(key) }
        }
        return request
    }

    /// The order of lines is the order of WireContract 5.5.
    private func attempt(
        _ login: Login,
        by stream: StreamID,
        _ caller: Caller,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Outcome {
        let caller = caller.with(try await work.admit(caller))
        let client = caller.client
        guard client.biometric != nil else { throw .refused(.withoutBiometricKeys) }
        guard client.dpop != .bound || caller.proof != nil else {
            throw .refused(.missingProof())
        }
        var key = try await work.loading(BiometricKey.self, stream)
        guard case .enabled(let shared) = key.state, shared.value.client == client.id,
            work.project.honours(client.id, since: shared.value.enabledAt)
        else {
            throw .refused(.invalidCredentials("unknown, disabled or another client's key"))
        }
        let registration = shared.value
        work.attributes.subject = registration.subject
        try await work.requireAlive(
            registration.subject,
            nil,
            refused: .invalidCredentials("subject ended")
        )
        if let end = registration.pauseEnd(at: work.now) {
            throw .refused(.paused(until: end, work))
        }
        guard isSigned(login.jwt, by: registration) else {
            return try await recordFailure(login, of: &key, in: &work)
        }
        let approval = try approval(of: login, in: work.project)
        let use = try check(login, client, approval, of: registration, work)
        let session = SessionID(.timeOrdered(at: work.now, from: commands.entropy))
        work.attributes.session = session
        let action: BiometricKey.Action = approval == nil ? .authenticate : .authenticateApp2App
        do {
            try work.decide(
                .use(action, by: client.id, session: session, at: work.now),
                on: &key
            )
        } catch { throw .refused(.refusedLogin("\(error)")) }
        try await work.spend(use, refused: .usedChallenge)
        if let seconds = pace.wait(for: stream) {
            throw .refused(.tooManyLogins(retryAfterSeconds: seconds))
        }
        let former = try await supersede(registration.session, in: &work)
        let (plan, code) = try await open(
            login,
            session,
            registration,
            key.stream,
            approval,
            caller,
            in: &work
        )
        return .granted(plan, code: code, former: former)
    }

    private func isSigned(_ jwt: ClientJWT, by registration: BiometricKey.Registration) -> Bool {
        if let embedded = jwt.key, embedded != registration.key { return false }
        do { try devices.requireSignature(of: jwt, by: registration.key) } catch { return false }
        return true
    }

    /// Counts only what answers a challenge of ours, so that garbage writes nothing.
    private func recordFailure(
        _ login: Login,
        of key: inout Loaded<BiometricKey>,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> Outcome {
        guard devices.isChallenged(login.jwt, .biometric, in: work.project, at: work.now) else {
            throw .refused(.invalidCredentials("signature"))
        }
        do { try work.decide(.recordFailure(at: work.now), on: &key) } catch {
            throw .refused(.refusedLogin("\(error)"))
        }
        return .failed
    }

    /// For which app, from the payload, and what for, from the form.
    private func approval(of login: Login, in project: Project)
        throws(CommandError<OAuthError>) -> Approval?
    {
        guard login.isApproval else { return nil }
        do throws(OAuthError) {
            guard let name = login.jwt.payload["client_id"]?.string else {
                throw .refusedJWT("client_id is missing", refusal: "DJ-004")
            }
            guard let target = ClientID(name).flatMap(project.enabledClient)?.value else {
                throw .refusedApp2App("the target is unknown", refusal: "AP-003")
            }
            // As where it asks by itself (WireContract 3.2, `grant_types`).
            guard App2AppGrant.names.contains(where: target.grantTypes.contains) else {
                throw .refusedApp2App("the target may not be let in by an app", refusal: "AP-003")
            }
            let request = try App2AppRequest(login.form, for: target, digester)
            return Approval(target: target, request: request)
        } catch { throw .refused(error) }
    }

    private func check(
        _ login: Login,
        _ client: ClientSettings,
        _ approval: Approval?,
        of registration: BiometricKey.Registration,
        _ work: Work
    ) throws(CommandError<OAuthError>) -> SingleUse {
        do throws(OAuthError) {
            var expected = DeviceProofs.Expected(purpose: .biometric)
            if let approval {
                guard let rules = client.app2app else {
                    throw .refusedApp2App("the owner lets nobody in", refusal: "AP-001")
                }
                guard rules.allows(approval.target, by: client) else {
                    throw .refusedApp2App("the owner does not let it in", refusal: "AP-003")
                }
                guard work.project.accepts(approval: registration.approval, at: approval.target.id)
                else { throw .laxApproval }
                expected = approval.request.expected(
                    of: approval.target,
                    purpose: .biometric,
                    isStrict: rules.isStrict
                )
            } else {
                let named = login.jwt.payload["client_id"]
                let isOwn =
                    named.map { $0.string?.isSame(as: client.id.text) == true } ?? true
                var isMixed = false
                for name in App2AppRequest.parameters where try login.form.optional(name) != nil {
                    isMixed = true
                }
                guard isOwn, !isMixed else {
                    throw .refusedLogin("a login that asks for an approval")
                }
            }
            return try devices.check(login.jwt, expected, in: work.project, at: work.now)
        } catch { throw .refused(error) }
    }

    /// One key, one session: the former one's tokens die with the new login.
    ///
    /// - Returns: that session, if it has not ended before.
    private func supersede(_ session: SessionID?, in work: inout Work)
        async throws(CommandError<OAuthError>) -> Loaded<OfflineGrant>?
    {
        guard let session else { return nil }
        var former = try await work.loading(OfflineGrant.self, session.stream)
        guard case .open = former.state else { return nil }
        do { try work.decide(.revoke(.superseded), on: &former) } catch {
            throw .refused(.refusedLogin("\(error)"))
        }
        return former
    }
}

extension OAuthError {
    /// Apps delete their key on exactly this, so nothing else says it (WireContract 5.5).
    static func invalidCredentials(_ cause: String) -> Self {
        Self(.invalidGrant, "InvalidCredentials", cause: cause, refusal: "BK-005")
    }

    /// The key is good, but this is nothing it can be used for: apps keep it.
    static func refusedLogin(_ cause: String) -> Self {
        Self(.invalidGrant, "the login is not valid", cause: cause, refusal: "BK-008")
    }

    /// Too many right ones (Security 9, L2; decision 0251).
    fileprivate static func tooManyLogins(retryAfterSeconds seconds: Int) -> Self {
        Self(
            .rateLimited,
            "too many requests",
            refusal: "BK-011",
            retryAfterSeconds: seconds
        )
    }

    /// By the identifier: another refusal has the code, too.
    fileprivate var isTooManyLogins: Bool { refusal.map { "\($0)" } == "BK-011" }

    /// Too many wrong signatures (Security 9, L8).
    fileprivate static func paused(until end: Instant, _ work: Work) -> Self {
        let seconds = Int(clamping: end.millisecondsSince(work.now) / 1000) + 1
        return Self(
            .rateLimited,
            "too many requests",
            refusal: "BK-007",
            retryAfterSeconds: seconds
        )
    }
}
