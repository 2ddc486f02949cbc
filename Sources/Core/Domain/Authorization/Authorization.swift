/// One request at the authorization endpoint (events.md section 8.4, RFC 6749 section 4.1.1).
package enum Authorization {
    package enum State: Hashable, Sendable {
        case absent
        case started(Started)
        case authenticated(Started, Login)
        case completed(Started, Login)
        case failed(Started)
    }

    package struct Started: Hashable, Sendable {
        package var request: AuthorizationRequest
        /// Digest of the transaction cookie of the browser that asked.
        package var browser: TokenDigest
        /// The newest login link asked for.
        package var loginLink: StreamID?

        package init(
            request: AuthorizationRequest,
            browser: TokenDigest,
            loginLink: StreamID? = nil
        ) {
            self.request = request
            self.browser = browser
            self.loginLink = loginLink
        }
    }

    /// Who logged in, and how.
    package struct Login: Hashable, Sendable {
        package var subject: SubjectID
        /// Absent without SSO (`x_sso_enabled`, wire.md section 4.1).
        package var browserSession: SessionID?
        package var via: Via
        package var authentication: Authentication

        package init(
            subject: SubjectID,
            browserSession: SessionID?,
            via: Via,
            authentication: Authentication
        ) {
            self.subject = subject
            self.browserSession = browserSession
            self.via = via
            self.authentication = authentication
        }
    }

    package enum Via: String, Hashable, Sendable, CaseIterable {
        case loginLink = "login_link"
        case browserSession = "browser_session"
    }

    package enum Failure: String, Hashable, Sendable, CaseIterable {
        case accessDenied = "access_denied"
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case invalidScope = "invalid_scope"
    }

    package enum Command: Sendable {
        case start(AuthorizationRequest, browser: TokenDigest)
        case requestLogin(StreamID, browser: TokenDigest, at: Instant)
        case authenticate(Login, browser: TokenDigest, at: Instant)
        case complete(code: StreamID?, scope: Scope, browser: TokenDigest, at: Instant)
        case fail(Failure, browser: TokenDigest)
    }

    package enum Event: Hashable, Sendable {
        case started(AuthorizationRequest, browser: TokenDigest)
        case loginRequested(StreamID)
        case authenticated(Login)
        /// `code` is absent for `response_type=none`.
        case completed(code: StreamID?, scope: Scope)
        case failed(Failure)
    }

    package enum Rejection: Error {
        case alreadyStarted, unknown, otherBrowser, expired, notAuthenticated, ended
        /// The login is not of the subject that `id_token_hint` named: `login_required`.
        case otherSubject
        /// The scope granted is not within the one asked for.
        case scope
    }
}
