internal import Domain
internal import OAuth

// RFC 9126 section 4, WireContract 4.6: the request is there already.
extension Authorize {
    /// The first browser takes the request; the same one may load it again within its life.
    func take(_ reference: OpaqueToken, of client: ClientID, _ browser: BrowserRequest)
        async throws(AuthorizationRefusal) -> SignInAnswer
    {
        let commands = context.commands
        do {
            try await context.refreshSession(of: browser)
            // Pushed at another node perhaps, a moment ago.
            let known = try await context.load(Authorization.self, reference.stream, for: browser)
            let transaction =
                known.started.flatMap { browser.binding($0.browser) }
                ?? binding(of: browser, reference.stream)
            let code = context.code(
                .timeOrdered(at: commands.clock.now, from: commands.entropy),
                in: transaction
            )
            let command = browser.command(client: client)
            var answer = try await context.run(
                command.starting,
                of: browser,
                on: reference.stream
            ) {
                (work: inout Work) async throws(CommandError<OAuthError>) in
                try await attempt(reference, of: client, transaction, browser, code, in: &work)
            }
            answer.cookies = [.transaction(transaction)]
            return answer
        } catch { throw .page(error) }
    }

    private func attempt(
        _ reference: OpaqueToken,
        of id: ClientID,
        _ transaction: OpaqueToken,
        _ browser: BrowserRequest,
        _ code: OpaqueToken,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> SignInAnswer {
        var authorization = try await work.loading(Authorization.self, reference.stream)
        let client = try work.requireClient(id)
        var (request, stage) = try pushed(authorization.state, reference, transaction, work)
        let isNative = client.applicationType == .native
        // The configuration may have changed since: nothing is redirected before this is proven.
        guard request.client == client.id,
            client.redirectURIs.contains(where: {
                RedirectURIRules.matches(request.redirectURI, $0, isNative: isNative)
            })
        else { throw .refused(.foreignReference("of another client")) }
        let isNew: Bool
        switch stage {
        case .new: isNew = true
        case .taken: isNew = false
        // Nothing but the consent is missing; what the login left is still there.
        case .loggedIn: return SignInAnswer(.consent(authorization.stream), of: request)
        case .completed(let told):
            guard
                let answer = try await context.answer(again: told, transaction, browser, in: &work)
            else { throw .refused(.foreignReference("its code was redeemed, or is too old")) }
            return SignInAnswer(.respond(answer), of: request)
        case .failed(let failure):
            let destination = AuthorizationResponse.Destination(request, in: work.project)
            let answer = AuthorizationResponse(to: destination, failing: .again(failure))
            return SignInAnswer(.respond(answer), of: request)
        }
        if isNew { request.renews = try await renewal(request, of: request.renews, in: &work) }
        let known = try await work.countingLogin(for: request, of: browser)
        let question = try await question(request, known, in: &work)
        // All loads are done: from here on every event carries the time of the append.
        if isNew {
            request.startedAt = work.now
            request.expiresAt = work.after(seconds: AuthorizationRequestReader.lifetimeSeconds)
            if request.loginHint != nil { work.attributes.seal = authorization.stream }
            try work.deciding(
                .take(
                    request,
                    secret: reference.digest,
                    browser: transaction.digest,
                    at: work.now
                ),
                on: &authorization
            )
        }
        work.see(known)
        let step = try answer(question, known?.login, &authorization, request, code, in: &work)
        return SignInAnswer(step, of: request)
    }

    /// How far a pushed request has come.
    private enum Stage {
        case new, taken, loggedIn
        case completed(SignInContext.Told)
        case failed(Authorization.Failure)
    }

    /// What was pushed, and how far it has come in this browser.
    private func pushed(
        _ state: Authorization.State,
        _ reference: OpaqueToken,
        _ transaction: OpaqueToken,
        _ work: Work
    ) throws(CommandError<OAuthError>) -> (AuthorizationRequest, Stage) {
        switch state {
        case .pushed(let request, let known)
        where known.secret == reference.digest && work.now < known.expiresAt:
            return (request, .new)
        case .started(let started)
        where started.isTaken(reference, by: transaction, at: work.now):
            return (started.request, .taken)
        case .authenticated(let started, _)
        where started.isTaken(reference, by: transaction, at: work.now):
            return (started.request, .loggedIn)
        case .completed(let started, let login, let code)
        where started.isTaken(reference, by: transaction, at: work.now):
            let request = started.request
            return (request, .completed(.init(request: request, login: login, code: code)))
        case .failed(let started, let failure)
        where started.isTaken(reference, by: transaction, at: work.now):
            return (started.request, .failed(failure))
        case .absent, .pushed, .started, .authenticated, .completed, .failed:
            throw .refused(.foreignReference("unknown, used, too old, or another browser's"))
        }
    }
}

extension SignInAnswer {
    /// The browser brought a reference alone: its pages get the colours from the request.
    fileprivate init(_ step: SignInStep, of request: AuthorizationRequest) {
        self.init(step)
        colorScheme = request.colorScheme
    }
}

extension Authorization.Started {
    /// Whether this browser took it by this reference, and may load it again.
    fileprivate func isTaken(
        _ reference: OpaqueToken,
        by transaction: OpaqueToken,
        at now: Instant
    ) -> Bool {
        guard let known = self.reference else { return false }
        return known.secret == reference.digest && browser == transaction.digest
            && now < known.expiresAt
    }
}
