internal import Domain
internal import OAuth

extension Authorization.Event {
    var storedType: StoredType {
        switch self {
        case .pushed: .authorizationPushed
        case .started: .authorizationStarted
        case .loginRequested: .authorizationLoginRequested
        case .authenticated: .authorizationAuthenticated
        case .completed: .authorizationCompleted
        case .failed: .authorizationFailed
        }
    }

    func write(to payload: inout JSONWriter) {
        switch self {
        case .pushed(let request, let secret):
            request.write(to: &payload, reference: secret)
        case .started(let request, let browser):
            payload.member("browser", browser)
            request.write(to: &payload)
        case .loginRequested(let link):
            payload.member("login_link", link)
            payload.member("method", "login_link")
        case .authenticated(let login):
            payload.member("amr", login.authentication.methods)
            payload.member("app_client", login.continuation?.host)
            payload.member("app_session", login.continuation?.session.stream)
            payload.member("app_since_at", login.continuation?.since)
            payload.member("approval", login.authentication.approval?.rawValue)
            payload.member("auth_time_at", login.authentication.at)
            payload.member("browser_session", login.browserSession?.stream)
            payload.member("via", login.via.rawValue)
        case .completed(let code, let scope):
            payload.member("code", code)
            payload.member("scope", scope)
        case .failed(let failure):
            payload.member("error", failure.rawValue)
        }
    }

    static func pushed(from payload: PayloadReader) throws(FormatError) -> Self {
        .pushed(
            try AuthorizationRequest(from: payload),
            secret: try payload.digest("request_uri")
        )
    }

    static func started(from payload: PayloadReader) throws(FormatError) -> Self {
        .started(try AuthorizationRequest(from: payload), browser: try payload.digest("browser"))
    }

    static func loginRequested(from payload: PayloadReader) throws(FormatError) -> Self {
        .loginRequested(try payload.stream("login_link"))
    }

    static func authenticated(from payload: PayloadReader) throws(FormatError) -> Self {
        .authenticated(
            Authorization.Login(
                subject: try payload.subject(),
                browserSession: try payload.optionalStream("browser_session").map(SessionID.init),
                continuation: try payload.continuation(),
                via: try payload.choice("via"),
                authentication: try payload.authentication()
            )
        )
    }

    static func completed(from payload: PayloadReader) throws(FormatError) -> Self {
        .completed(code: try payload.optionalStream("code"), scope: try payload.scope())
    }

    static func failed(from payload: PayloadReader) throws(FormatError) -> Self {
        .failed(try payload.choice("error"))
    }
}

extension AuthorizationRequest {
    /// After the member `browser`, which sorts first.
    fileprivate func write(to payload: inout JSONWriter, reference: TokenDigest? = nil) {
        payload.member("client", client)
        payload.member("code_challenge", codeChallenge?.digest)
        payload.member("color_scheme", colorScheme?.rawValue)
        payload.member("dpop_jkt", dpopKey?.digest)
        payload.member("expected_subject", expectedSubject?.stream)
        payload.member("expires_at", expiresAt)
        payload.member("login_hint", loginHint)
        if let maxAge { payload.member("max_age", maxAge) }
        payload.member("nonce", nonce)
        payload.member("prompt", prompt.map(\.rawValue).sorted())
        payload.member("redirect_uri", redirectURI.text)
        payload.member("redirect_uri_given", redirectURIGiven)
        payload.member("renews", renews?.stream)
        payload.member("request_uri", reference)
        payload.member("resources", unlessEmpty: resources)
        payload.member("response_mode", responseMode.rawValue)
        payload.member("response_type", responseType.rawValue)
        payload.member("scope", scope)
        payload.member("sso", sso)
        payload.member("state", state)
    }

    fileprivate init(from payload: PayloadReader) throws(FormatError) {
        self.init(
            client: try payload.client(),
            redirectURI: try payload.redirectURI(),
            redirectURIGiven: try payload.bool("redirect_uri_given"),
            responseType: try payload.choice("response_type"),
            responseMode: try payload.choice("response_mode"),
            scope: try payload.scope(),
            state: try payload.optionalText("state"),
            nonce: try payload.optionalText("nonce"),
            codeChallenge: try payload.optionalDigest("code_challenge")
                .map(CodeChallenge.init(digest:)),
            prompt: try payload.required("prompt", Self.prompt),
            maxAge: try payload.optionalInteger("max_age"),
            loginHint: try payload.optionalSealed("login_hint"),
            resources: try payload.texts("resources"),
            dpopKey: try payload.optionalDigest("dpop_jkt").map(Thumbprint.init(digest:)),
            sso: try payload.bool("sso"),
            expectedSubject: try payload.optionalStream("expected_subject").map(SubjectID.init),
            renews: try payload.optionalStream("renews").map(SessionID.init),
            colorScheme: try payload.optional("color_scheme") {
                $0.string.flatMap(ColorScheme.init(rawValue:))
            },
            startedAt: payload.occurredAt,
            expiresAt: try payload.time("expires_at")
        )
    }

    private static func prompt(_ value: PayloadValue) -> Set<Prompt>? {
        guard let names = value.strings else { return nil }
        let prompt = Set(names.compactMap(Prompt.init(rawValue:)))
        return prompt.map(\.rawValue).sorted() == names ? prompt : nil
    }
}
