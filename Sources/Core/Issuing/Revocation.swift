package import Domain
package import OAuth

/// Ends what a token stands for (RFC 7009, WireContract 9.3 and 9.7).
package struct Revocation: Sendable {
    private let commands: CommandRunner
    private let verifier: TokenVerifier
    private let digester: any Digester
    private let secrets: DeviceSecrets

    package init(commands: CommandRunner, signer: any TokenSigner, digester: any Digester) {
        self.commands = commands
        verifier = TokenVerifier(signer, projects: commands.projects)
        self.digester = digester
        secrets = DeviceSecrets(digester: digester, entropy: commands.entropy)
    }

    /// Who asks: a client that proved itself, one that only names itself, or just a holder.
    package enum Asker: Sendable {
        case client(ClientSettings, assertion: VerifiedAssertion?)
        case holder
    }

    /// One request.
    package struct Request: Sendable {
        /// Empty, too: that is no token anybody holds.
        package var token: [UInt8]
        package var asker: Asker
        package var project: Project
        package var deadline: Deadline
        package var correlation: Correlation?

        package init(
            token: [UInt8],
            asker: Asker,
            project: Project,
            deadline: Deadline,
            correlation: Correlation? = nil
        ) {
            self.token = token
            self.asker = asker
            self.project = project
            self.deadline = deadline
            self.correlation = correlation
        }
    }

    /// What came of a request; its client hears the same in both cases.
    package enum Outcome: Sendable {
        /// What the token stands for has ended, or nothing was to end.
        case answered
        /// The log was asked for a token that nobody holds, or was searched for one, and nothing
        /// ended that had not ended before.
        case askedInVain
    }

    /// Returns once the end is committed, or when there is nothing to end.
    ///
    /// An assertion is used up either way.
    ///
    /// - Throws: `invalid_client` when a confidential client's token is presented without its
    ///   authentication, and for an assertion that was used; `temporarily_unavailable` when the
    ///   log did not answer.
    @discardableResult
    package func revoke(_ request: Request) async throws(OAuthError) -> Outcome {
        if let refresh = RefreshToken(reading: request.token, digester: digester) {
            // Whether the fold alone tells whose it is.
            var isPlain = false
            let hasEnded = try await run(request, on: refresh.session) {
                (session, work) async throws(CommandError<OAuthError>) in
                let holder = Self.holder(of: refresh, in: session)
                isPlain = if case .known = holder { true } else { false }
                return try await ending(of: refresh, holder, in: session, by: work.deadline)
            }
            return isPlain || hasEnded ? .answered : .askedInVain
        }
        if let secret = secrets.read(request.token) {
            var isKnown = false
            try await run(request, on: SessionID(secret.stream)) {
                (session, work) async throws(CommandError<OAuthError>) in
                let isGood =
                    session.deviceSecret?.standing(of: secret.digest, at: work.now) != nil
                // Who repeats a request sends one that is over.
                isKnown =
                    isGood || session.deviceSecret?.digest == secret.digest
                    || session.deviceSecret?.previous == secret.digest
                guard isGood else { return nil }
                let holder = Self.holder(of: session, request.asker)
                return Ending(.share(.revokeDeviceSecret(secret.digest, at: work.now)), of: holder)
            }
            return isKnown ? .answered : .askedInVain
        }
        // What is over by our clock may live on at a node whose clock is behind (I4).
        let earliest = commands.clock.now.adding(seconds: -CommandRunner.clockSkewSeconds)
        let claims: AccessTokenClaims?
        do {
            claims = try await verifier.accessToken(
                request.token,
                of: request.project,
                at: earliest,
                by: request.deadline
            )
        } catch { throw OAuthError(error) }
        guard let claims, let session = claims.session else {
            try await endNothing(request)
            return .answered
        }
        try await run(request, on: session) {
            (session, _) async throws(CommandError<OAuthError>) in
            guard session.known(claims.client) != nil else { return nil }
            return Ending(
                .revokeAccessToken(
                    claims.token,
                    by: claims.client,
                    expiresAt: claims.expiresAt
                ),
                of: claims.client
            )
        }
        return .answered
    }

    /// There is nothing to end; the assertion has been accepted all the same, and works once.
    private func endNothing(_ request: Request) async throws(OAuthError) {
        guard case .client(let client, let assertion?) = request.asker else { return }
        try await commands.spend(assertion, of: client.id, Self.command(request))
    }

    private static func command(_ request: Request) -> CommandRequest {
        CommandRequest(
            project: request.project,
            attributes: EventAttributes(actor: .system, correlation: request.correlation),
            deadline: request.deadline
        )
    }

    /// What a token ends, and whose it is.
    private struct Ending {
        var command: OfflineGrant.Command
        var client: ClientID

        init(_ command: OfflineGrant.Command, of client: ClientID) {
            self.command = command
            self.client = client
        }
    }

    /// The first client's refresh token ends the session, another's its own part of it.
    ///
    /// So does every refresh token that the first client ever had, even if the client was thrown
    /// out, as by a thief's use of one, and has come back since: who logs out there means the
    /// session (WireContract 9.7).
    private func ending(
        of refresh: RefreshToken,
        _ holder: Holder,
        in session: OfflineGrant.Session,
        by deadline: Deadline
    ) async throws(CommandError<OAuthError>) -> Ending? {
        let found: ClientID?
        switch holder {
        case .nobody: found = nil
        case .known(let client): found = client
        case .inTheLog: found = try await recordedHolder(of: refresh, by: deadline)
        }
        guard let client = found else { return nil }
        if client == session.opening.client {
            return Ending(.revoke(.tokenRevocation), of: client)
        }
        // A token of an earlier stay is over, and does not stand for the present one.
        guard session.family(refresh.family) != nil else { return nil }
        return Ending(.share(.leave(client, .tokenRevocation)), of: client)
    }

    /// A device secret is all clients' that came by it.
    private static func holder(of session: OfflineGrant.Session, _ asker: Asker) -> ClientID {
        if case .client(let client, _) = asker, session.known(client.id) != nil {
            return client.id
        }
        return session.opening.client
    }

    /// Whether something has ended that had not before.
    @discardableResult
    private func run(
        _ request: Request,
        on id: SessionID,
        _ choose: (OfflineGrant.Session, Work) async throws(CommandError<OAuthError>)
            -> Ending?
    ) async throws(OAuthError) -> Bool {
        let command = Self.command(request)
        let isOver: Bool
        var hasEnded = false
        do {
            isOver = try await commands.run(command.ending, on: id.stream) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                hasEnded = false
                if case .client(let client, let assertion?) = request.asker {
                    try await work.spend(assertion, of: client.id)
                }
                var grant = try await work.loading(OfflineGrant.self, id.stream)
                guard let session = grant.state.session,
                    let ending = try await choose(session, work),
                    try await admit(request.asker, to: ending.client, in: work)
                else { return false }
                work.act(as: ending.client, for: session.opening.subject, in: id)
                do { hasEnded = try !work.decide(ending.command, on: &grant).isEmpty } catch {
                    // Ended meanwhile, or never issued: nothing to change (RFC 7009 section 2.2).
                    return false
                }
                // Of one that had ended before, too: who repeats a request finishes its work.
                return if case .revoked = grant.state { true } else { false }
            }
        } catch { throw OAuthError(error) }
        if isOver { await commands.cascade(from: id, command) }
        return hasEnded
    }

    /// Whether the asker may end this client's tokens; false: answer as if nothing was found.
    private func admit(_ asker: Asker, to owner: ClientID, in work: Work)
        async throws(CommandError<OAuthError>) -> Bool
    {
        switch asker {
        case .client(let client, _): return client.id == owner
        case .holder:
            // Holding a public client's token is proof enough; a confidential client's is not.
            guard let client = work.project.client(owner) else {
                do { try await work.requireCurrentSettings() } catch { throw .store(error) }
                return true
            }
            switch client.authenticationMethod {
            case .none: return true
            case .clientSecretBasic, .clientSecretPost, .privateKeyJWT:
                throw .refused(.invalidClient)
            }
        }
    }

    /// Whom a refresh token was given to, as far as the fold tells.
    private enum Holder {
        case known(ClientID)
        case nobody
        /// The fold no longer keeps it: a search of the session's events tells.
        case inTheLog
    }

    private static func holder(of token: RefreshToken, in session: OfflineGrant.Session) -> Holder {
        if let family = session.family(token.family) {
            guard let known = family.records(token.digest, generation: token.generation) else {
                return .inTheLog
            }
            return known ? .known(family.issue.client) : .nobody
        }
        // A search costs a reading of the session: only where the first client's may be gone, as
        // after a reuse, whether or not it came again.
        let isInTheLog =
            session.known(session.opening.client)?.via != .opening && token.generation >= 1
            && token.family >= 1 && token.family <= session.familiesIssued
        return isInTheLog ? .inTheLog : .nobody
    }

    private func recordedHolder(of token: RefreshToken, by deadline: Deadline)
        async throws(CommandError<OAuthError>) -> ClientID?
    {
        do {
            return try await RecordedTokens(store: commands.store).holder(
                of: token.digest,
                family: token.family,
                generation: token.generation,
                in: token.session.stream,
                by: deadline
            )
        } catch { throw .store(error) }
    }
}
