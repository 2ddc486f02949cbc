internal import Domain
internal import OAuth

// A button pressed twice: the browser follows the second answer and drops the first.
extension SignInContext {
    /// What a button asks for, as far as it matters to what has ended already.
    enum Press {
        /// The page behind a mail's link has been approved.
        case complete
        /// For the account that the page showed.
        case allow(FormTokens.Purpose)
        /// Never answered with a code.
        case giveUp(FormTokens.Purpose)

        var purpose: FormTokens.Purpose {
            switch self {
            case .complete: .complete
            case .allow(let purpose), .giveUp(let purpose): purpose
            }
        }
    }

    /// What `body` answers, or, where the request has ended as this button would end it, the
    /// answer of then (decision 0128).
    func pressing(
        _ press: Press,
        _ posted: Posted,
        _ browser: BrowserRequest,
        _ body: () async throws(OAuthError) -> SignInAnswer
    ) async throws(OAuthError) -> SignInAnswer {
        do throws(OAuthError) { return try await body() } catch {
            guard let answer = try await again(press, after: error, posted, browser) else {
                throw error
            }
            return answer
        }
    }

    /// Nil when it was not refused for its end, did not end so, or its answer must not be given
    /// again.
    func again(
        _ press: Press,
        after error: OAuthError,
        _ posted: Posted,
        _ browser: BrowserRequest
    ) async throws(OAuthError) -> SignInAnswer? {
        guard error.isEndedRequest else { return nil }
        try check(posted, for: press.purpose, of: browser)
        guard let started = try await current(posted.request, of: browser).started,
            let binding = browser.binding(started.browser)
        else { return nil }
        let command = browser.command(client: started.request.client)
        return try await run(command, of: browser, on: posted.request) {
            (work: inout Work) async throws(CommandError<OAuthError>) -> SignInAnswer? in
            let ended = try await work.loading(Authorization.self, posted.request).state
            switch ended {
            case .completed(let started, let login, let code)
            where accepts(press, login, posted, started):
                let told = Told(request: started.request, login: login, code: code)
                let answer = try await answer(again: told, binding, browser, in: &work)
                var cookies: [CookieChange] = []
                if case .complete = press { cookies = browser.endOfApp }
                return answer.map { SignInAnswer(.respond($0), cookies: cookies) }
            case .failed(let started, let failure):
                let (_, destination) = try work.destination(of: started.request)
                let answer = AuthorizationResponse(to: destination, failing: .again(failure))
                return SignInAnswer(.respond(answer))
            case .completed, .absent, .pushed, .started, .authenticated: return nil
            }
        }
    }

    /// Whether it was this button's way, and the account that its page showed (Security I14).
    private func accepts(
        _ press: Press,
        _ login: Authorization.Login,
        _ posted: Posted,
        _ started: Authorization.Started
    ) -> Bool {
        switch press {
        case .complete: login.via == .loginLink
        case .giveUp: false
        case .allow(let purpose):
            forms.names(
                login.subject,
                posted.token,
                purpose,
                about: posted.request,
                browser: started.browser
            )
        }
    }

    /// How a request was completed.
    struct Told {
        var request: AuthorizationRequest
        var login: Authorization.Login
        /// Absent for `response_type=none`.
        var code: StreamID?
    }

    /// What a lost answer said, byte for byte; nothing is recorded.
    ///
    /// Nil for a code that was redeemed or is too old: who has redeemed it has had the answer, and
    /// a replay would end what it was traded for. With a root secret that is gone it cannot be made
    /// again. Nor does that of a client come again that was removed since.
    ///
    /// - Throws: a page 400 when its login has ended, or counts in this browser no more.
    func answer(
        again told: Told,
        _ binding: OpaqueToken,
        _ browser: BrowserRequest,
        in work: inout Work
    ) async throws(CommandError<OAuthError>) -> AuthorizationResponse? {
        try await work.requireStanding(told.login, for: told.request, of: browser)
        let (_, destination) = try work.destination(of: told.request)
        guard let stream = told.code else {
            return AuthorizationResponse(to: destination, code: nil)
        }
        let issued = try await work.loading(AuthorizationCode.self, stream)
        guard case .issued(let ticket) = issued.state, work.now < ticket.value.expiresAt,
            let code = code(again: stream, in: binding, recorded: ticket.value.secret),
            work.project.honours(ticket.value.client, since: stream.bornAt)
        else { return nil }
        work.require(issued)
        return AuthorizationResponse(to: destination, code: code.text)
    }
}

extension Work {
    /// Refuses unless the request, asked for the first time now, could end with this login; guards
    /// all that the login rests on (Security I4).
    fileprivate mutating func requireStanding(
        _ login: Authorization.Login,
        for request: AuthorizationRequest,
        of browser: BrowserRequest
    ) async throws(CommandError<OAuthError>) {
        let client = try requireClient(request.client)
        guard request.scope.isSubset(of: client.allowedScopes),
            try await isConsented(request.scope, by: login.subject, client: client)
        else { throw .refused(.endedRequest("scope or consent withdrawn")) }
        if let renewed = request.renews {
            try await requireLive(renewed, refused: .endedRequest("the renewed session ended"))
        }
        try await requireAlive(
            login.subject,
            login.browserSession,
            since: login.authentication.at,
            refused: .endedRequest("subject or browser session ended")
        )
        guard login.via != .loginLink else { return }
        let known = try await countingLogin(for: request, of: browser)?.login
        guard let known, known.subject == login.subject,
            known.browserSession == login.browserSession, known.continuation == login.continuation
        else { throw .refused(.endedRequest("its login no longer counts in this browser")) }
    }
}

extension OAuthError {
    /// What was said when the request failed.
    static func again(_ failure: Authorization.Failure) -> Self {
        switch failure {
        case .accessDenied: .userRefused
        case .loginRequired: .loginRequired("as before")
        case .consentRequired: .consentRequired
        case .invalidScope: .withdrawnScope
        }
    }
}
