/// One request at the authorization endpoint (Events 8.4, RFC 6749 section 4.1.1).
package enum Authorization {
    package enum State: Hashable, Sendable {
        case absent
        /// A client has sent the request ahead; no browser has come yet (RFC 9126).
        case pushed(AuthorizationRequest, Reference)
        case started(Started)
        case authenticated(Started, Login)
        /// `code` is absent for `response_type=none`.
        case completed(Started, Login, code: StreamID?)
        case failed(Started, Failure)
    }

    /// What a browser brings instead of the request (`request_uri`, RFC 9126 section 2.2).
    package struct Reference: Hashable, Sendable {
        package var secret: TokenDigest
        package var expiresAt: Instant

        package init(secret: TokenDigest, expiresAt: Instant) {
            self.secret = secret
            self.expiresAt = expiresAt
        }
    }

    package struct Started: Hashable, Sendable {
        package var request: AuthorizationRequest
        /// Digest of the transaction cookie of the browser that asked.
        package var browser: TokenDigest
        /// Of a pushed request: the same browser may load it again.
        package var reference: Reference?
        /// The newest login link asked for.
        package var loginLink: StreamID?

        package init(
            request: AuthorizationRequest,
            browser: TokenDigest,
            reference: Reference? = nil,
            loginLink: StreamID? = nil
        ) {
            self.request = request
            self.browser = browser
            self.reference = reference
            self.loginLink = loginLink
        }
    }

    /// Who logged in, and how.
    package struct Login: Hashable, Sendable {
        package var subject: SubjectID
        /// Absent without SSO (`x_sso_enabled`, WireContract 4.1).
        package var browserSession: SessionID?
        /// The app's session that vouches for the user instead of one of the browser.
        package var continuation: Continuation?
        package var via: Via
        package var authentication: Authentication

        package init(
            subject: SubjectID,
            browserSession: SessionID?,
            continuation: Continuation? = nil,
            via: Via,
            authentication: Authentication
        ) {
            self.subject = subject
            self.browserSession = browserSession
            self.continuation = continuation
            self.via = via
            self.authentication = authentication
        }
    }

    package enum Via: String, Hashable, Sendable, CaseIterable {
        case loginLink = "login_link"
        case browserSession = "browser_session"
        case appSession = "app_session"
    }

    package enum Failure: String, Hashable, Sendable, CaseIterable {
        case accessDenied = "access_denied"
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case invalidScope = "invalid_scope"
    }

    package enum Command: Sendable {
        /// Of the request only `expiresAt` is not as it came: the end of the reference.
        case push(AuthorizationRequest, secret: TokenDigest)
        /// The first browser to bring the reference takes the request.
        case take(AuthorizationRequest, secret: TokenDigest, browser: TokenDigest, at: Instant)
        case start(AuthorizationRequest, browser: TokenDigest)
        case requestLogin(StreamID, browser: TokenDigest, at: Instant)
        case authenticate(Login, browser: TokenDigest, at: Instant)
        case complete(code: StreamID?, scope: Scope, browser: TokenDigest, at: Instant)
        case fail(Failure, browser: TokenDigest)
    }

    package enum Event: Hashable, Sendable {
        case pushed(AuthorizationRequest, secret: TokenDigest)
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
