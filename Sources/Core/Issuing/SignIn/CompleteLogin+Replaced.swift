internal import Domain
internal import OAuth

extension CompleteLogin {
    /// Ends the browser-session of somebody else whose place a login in this browser has taken.
    func endReplaced(by request: StreamID, _ browser: BrowserRequest)
        async throws(OAuthError)
    {
        guard let cookie = browser.session,
            let login = try await context.current(request, of: browser).login,
            login.via == .loginLink, let own = login.browserSession, own.stream != cookie.stream,
            case .open(let opened) =
                try await context.load(BrowserSession.self, own.stream, for: browser),
            opened.isLive(at: context.commands.clock.now),
            case .open(let replaced) =
                try await context.load(BrowserSession.self, cookie.stream, for: browser),
            replaced.cookie == cookie.digest, replaced.subject != login.subject,
            replaced.authentication.at <= login.authentication.at
        else { return }
        try await endSession.end(
            SessionID(cookie.stream),
            of: replaced.subject,
            .superseded,
            browser,
            cause: Cause(stream: own.stream, version: 1)
        )
    }
}
