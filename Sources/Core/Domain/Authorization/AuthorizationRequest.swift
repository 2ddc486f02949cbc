/// The checked parameters of an authorization request (WireContract 4.1).
package struct AuthorizationRequest: Hashable, Sendable {
    package enum ResponseType: String, Hashable, Sendable, CaseIterable { case code, none }

    package enum ResponseMode: String, Hashable, Sendable, CaseIterable {
        case query, fragment
        case formPost = "form_post"
    }

    package enum Prompt: String, Hashable, Sendable, CaseIterable {
        case none, login, consent
        case selectAccount = "select_account"
    }

    package enum ColorScheme: String, Hashable, Sendable, CaseIterable { case light, dark }

    package var client: ClientID
    package var redirectURI: RedirectURI
    /// Whether the request named it: then the token request must, too (WireContract 5.2).
    package var redirectURIGiven: Bool
    package var responseType: ResponseType
    package var responseMode: ResponseMode
    package var scope: Scope
    /// Echoed byte-exact, at most 512 bytes.
    package var state: String?
    package var nonce: String?
    package var codeChallenge: CodeChallenge?
    package var prompt: Set<Prompt>
    /// Seconds.
    package var maxAge: Int64?
    package var loginHint: Sealed?
    package var resources: [String]
    package var dpopKey: Thumbprint?
    /// Whether the browser-session is used and made.
    package var sso: Bool
    /// The subject of `id_token_hint`.
    package var expectedSubject: SubjectID?
    /// The live offline-grant that a fresh login renews (WireContract 4.5).
    package var renews: SessionID?
    /// Of a pushed request alone: the URLs of others hand it from page to page.
    package var colorScheme: ColorScheme?
    package var startedAt: Instant
    /// From then on no page of it may be posted.
    package var expiresAt: Instant

    package init(
        client: ClientID,
        redirectURI: RedirectURI,
        redirectURIGiven: Bool,
        responseType: ResponseType,
        responseMode: ResponseMode,
        scope: Scope,
        state: String? = nil,
        nonce: String? = nil,
        codeChallenge: CodeChallenge? = nil,
        prompt: Set<Prompt> = [],
        maxAge: Int64? = nil,
        loginHint: Sealed? = nil,
        resources: [String] = [],
        dpopKey: Thumbprint? = nil,
        sso: Bool = true,
        expectedSubject: SubjectID? = nil,
        renews: SessionID? = nil,
        colorScheme: ColorScheme? = nil,
        startedAt: Instant,
        expiresAt: Instant
    ) {
        self.client = client
        self.redirectURI = redirectURI
        self.redirectURIGiven = redirectURIGiven
        self.responseType = responseType
        self.responseMode = responseMode
        self.scope = scope
        self.state = state
        self.nonce = nonce
        self.codeChallenge = codeChallenge
        self.prompt = prompt
        self.maxAge = maxAge
        self.loginHint = loginHint
        self.resources = resources
        self.dpopKey = dpopKey
        self.sso = sso
        self.expectedSubject = expectedSubject
        self.renews = renews
        self.colorScheme = colorScheme
        self.startedAt = startedAt
        self.expiresAt = expiresAt
    }
}
