internal import Domain
internal import OAuth

// Steps 5–11: what is answered by redirect.
extension AuthorizationRequestReader {
    /// Where even a refusal of `response_mode` goes: `query` when unknown or `cookie`, or when no
    /// form gets there.
    static func answerMode(_ request: RequestParameters, to uri: RedirectURI)
        -> AuthorizationRequest.ResponseMode
    {
        request.form.single("response_mode").flatMap { mode($0, to: uri) } ?? .query
    }

    /// Nil for one that nobody knows, and for one that does not fit.
    private static func mode(_ text: [UInt8], to uri: RedirectURI)
        -> AuthorizationRequest.ResponseMode?
    {
        let known = AuthorizationRequest.ResponseMode.allCases
        let mode = known.first { text.elementsEqual($0.rawValue.utf8) }
        return mode == .formPost && !RedirectURIRules.takesForms(uri) ? nil : mode
    }

    static func responseType(_ request: RequestParameters, _ client: ClientSettings)
        throws(OAuthError) -> AuthorizationRequest.ResponseType
    {
        let text = try request.required("response_type")
        let known = AuthorizationRequest.ResponseType.allCases
        // FAPI 2.0 Security Profile section 5.3.2.2: codes alone.
        guard let type = known.first(where: { text.elementsEqual($0.rawValue.utf8) }),
            type == .code || !client.isFAPI
        else {
            throw OAuthError(
                .unsupportedResponseType,
                "the response_type is not supported",
                refusal: "AZ-006"
            )
        }
        guard type == .none || client.grantTypes.contains("authorization_code") else {
            throw OAuthError(
                .unauthorizedClient,
                "the client may not use this response_type",
                refusal: "AZ-007"
            )
        }
        return type
    }

    static func checkResponseMode(_ request: RequestParameters, to uri: RedirectURI)
        throws(OAuthError)
    {
        if let text = try request.optional("response_mode"), mode(text, to: uri) == nil {
            throw .unfitResponseMode
        }
        try refuseObject(request)
    }

    static func refuseObject(_ request: RequestParameters) throws(OAuthError) {
        guard try request.optional("request") == nil else {
            throw OAuthError(
                .requestNotSupported,
                "request objects are not supported",
                refusal: "AZ-009"
            )
        }
    }

    static func prompt(_ request: RequestParameters)
        throws(OAuthError) -> Set<AuthorizationRequest.Prompt>
    {
        guard let text = try request.optional("prompt") else { return [] }
        var prompts: Set<AuthorizationRequest.Prompt> = []
        for word in text.split(separator: UInt8(ascii: " ")) {
            let known = AuthorizationRequest.Prompt.allCases
            guard let prompt = known.first(where: { word.elementsEqual($0.rawValue.utf8) }) else {
                throw .wrongPrompt
            }
            prompts.insert(prompt)
        }
        guard !prompts.contains(.none) || prompts.count == 1 else { throw .wrongPrompt }
        return prompts
    }

    /// 1–10 digits (Security 3).
    static func maxAge(_ request: RequestParameters) throws(OAuthError) -> Int64? {
        guard let text = try request.optional("max_age") else { return nil }
        guard text.count <= 10, let seconds = DecimalDigits.read(text) else {
            throw OAuthError(.invalidRequest, "max_age is not a number", refusal: "AZ-011")
        }
        return seconds
    }

    static func codeChallenge(_ request: RequestParameters, _ client: ClientSettings)
        throws(OAuthError) -> CodeChallenge?
    {
        let challenge = try request.optional("code_challenge")
        let method = try request.optional("code_challenge_method")
        guard let challenge else {
            let isFree =
                switch client.pkce {
                case .required: false
                case .challengeOrNonce: try returnsNonce(request)
                case .optional: true
                }
            guard isFree, method == nil else {
                throw OAuthError(
                    .invalidRequest,
                    "a code_challenge is required",
                    refusal: "AZ-012"
                )
            }
            return nil
        }
        // A challenge without method would mean `plain` (RFC 7636 section 4.3): a downgrade.
        guard let digest = sha256Text(challenge), method?.elementsEqual("S256".utf8) == true else {
            throw OAuthError(
                .invalidRequest,
                "the code_challenge is malformed or its method is not S256",
                refusal: "AZ-013"
            )
        }
        return CodeChallenge(digest: digest)
    }

    /// Whether an ID token will carry a nonce back: without one nobody compares it (RFC 9700
    /// section 2.1.1).
    private static func returnsNonce(_ request: RequestParameters) throws(OAuthError) -> Bool {
        guard try request.optional("nonce") != nil, let text = try request.optional("scope")
        else { return false }
        return Scope(text)?.contains("openid") ?? false
    }

    /// Nil for a client whose proofs are ignored: its code could not be redeemed.
    static func thumbprint(_ request: RequestParameters, of client: ClientSettings)
        throws(OAuthError) -> Thumbprint?
    {
        guard let text = try request.optional("dpop_jkt") else { return nil }
        guard let digest = sha256Text(text) else { throw .malformed("dpop_jkt") }
        return client.dpop == .disabled ? nil : Thumbprint(digest: digest)
    }

    /// Printable ASCII (RFC 6749 appendix A.5); the text.
    @discardableResult
    static func checkText(_ request: RequestParameters, _ name: String) throws(OAuthError)
        -> String?
    {
        guard let text = try request.optional(name) else { return nil }
        guard text.allSatisfy({ 0x20...0x7E ~= $0 }) else { throw .malformed(name) }
        return String(decoding: text, as: UTF8.self)
    }

    static func scope(
        _ request: RequestParameters,
        _ client: ClientSettings,
        _ type: AuthorizationRequest.ResponseType
    ) throws(OAuthError) -> Scope {
        guard let text = try request.optional("scope") else {
            guard type == .none else {
                throw OAuthError(.invalidRequest, "a scope is required", refusal: "AZ-014")
            }
            return .empty
        }
        guard let scope = Scope(text), scope.isSubset(of: client.allowedScopes) else {
            throw OAuthError(
                .invalidScope,
                "the scope is malformed or not allowed to the client",
                refusal: "AZ-015"
            )
        }
        // Without a device secret its URLs could never be asked for (WireContract 5.7).
        guard
            !scope.contains(BuiltInScopes.preAuthenticatedURL)
                || scope.contains(BuiltInScopes.deviceSSO)
        else {
            throw OAuthError(
                .invalidScope,
                "the scope of pre-authenticated URLs needs device_sso",
                refusal: "AZ-015"
            )
        }
        return scope
    }

    static func resources(_ request: RequestParameters, _ project: Project)
        throws(OAuthError) -> [String]
    {
        var known: [String] = []
        for asked in try request.resources() {
            let match = project.settings.resources.first { asked.elementsEqual($0.uri.utf8) }
            guard let match else {
                throw OAuthError(
                    .invalidTarget,
                    "the resource is not known",
                    refusal: "AZ-017"
                )
            }
            if !known.contains(match.uri) { known.append(match.uri) }
        }
        return known
    }

    /// The first parameter that is present decides (WireContract 4.1).
    static func sso(_ request: RequestParameters) -> Bool {
        if let enabled = request.form.single("x_sso_enabled") {
            return enabled.elementsEqual("true".utf8)
        }
        let suppress = request.form.single("x_suppress_idp_session_cookie")
        return suppress?.elementsEqual("true".utf8) != true
    }

    /// An address, plain or in the form of WireContract 4.1; anything else is ignored.
    static func loginHint(_ request: RequestParameters) -> EmailAddress? {
        guard let text = request.form.single("login_hint") else { return nil }
        let prefix = "https://authgear.com/login_hint?"
        guard text.starts(with: prefix.utf8) else { return EmailAddress(text) }
        guard let form = try? Form(parsing: text[prefix.utf8.count...]),
            form.single("type")?.elementsEqual("login_id".utf8) == true
        else { return nil }
        return form.single("email").flatMap { EmailAddress($0) }
    }

    /// 43 characters of base64url: 32 bytes.
    private static func sha256Text(_ text: [UInt8]) -> TokenDigest? {
        guard text.count == 43, let bytes = Base64URL.decode(text) else { return nil }
        return TokenDigest(bytes: bytes)
    }
}

extension OAuthError {
    static var unfitResponseMode: Self {
        Self(.invalidRequest, "the response_mode does not fit", refusal: "AZ-008")
    }

    fileprivate static var wrongPrompt: Self {
        Self(.invalidRequest, "the prompt is not known or contradicts itself", refusal: "AZ-010")
    }

    fileprivate static func malformed(_ name: String) -> Self {
        Self(.invalidRequest, "a parameter is malformed", cause: name, refusal: "AZ-018")
    }
}
