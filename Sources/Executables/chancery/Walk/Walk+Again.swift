import OAuth
import Runtime

extension Walk {
    /// The other app joins once more, and binds its tokens to a key of its own (RFC 9449).
    func shareBound(_ tokens: Tokens) async throws(CommandFailure) {
        let phone = try WalkPhone()
        let fields = exchange(tokens, of: "invest")
        let token = try await step("POST /oauth2/token Native SSO, with a DPoP proof") {
            () async throws(CommandFailure) in
            let proof = try proof(of: phone)
            let answer = try await app.post("/oauth2/token", fields, [proof])
            guard let token = answer.json?["refresh_token"]?.string else {
                throw Self.failure(answer)
            }
            return ("a refresh token that needs the key", token)
        }
        let refresh = [
            ("grant_type", "refresh_token"), ("client_id", "invest"), ("refresh_token", token),
        ]
        try await step("POST /oauth2/token refresh_token, without and with a proof") {
            () async throws(CommandFailure) in
            let bare = try await app.post("/oauth2/token", refresh)
            try Self.require(bare.json?["error"]?.string == "invalid_dpop_proof", bare)
            let proof = try proof(of: phone)
            let answer = try await app.post("/oauth2/token", refresh, [proof])
            try Self.require(answer.status == 200, answer)
            let replay = try await app.post("/oauth2/token", refresh, [proof])
            try Self.require(replay.json?["error"]?.string == "invalid_dpop_proof", replay)
            return ("refused; 200, once", ())
        }
    }

    /// A fresh proof for the token endpoint.
    private func proof(of phone: WalkPhone) throws(CommandFailure)
        -> (name: String, value: String)
    {
        let id = Wiring.randomBytes(12).map { String($0, radix: 16) }.joined()
        let claims: [(name: String, value: JSON)] = [
            ("jti", .string(id)), ("htm", "POST"),
            ("htu", .string("\(facts["ISSUER"] ?? "")/oauth2/token")),
            ("iat", .integer(WallTime.nowSeconds())),
        ]
        return ("DPoP", try phone.jwt("dpop+jwt", claims))
    }

    /// A link for the app, opened where the app is not: an ordinary login (WireContract 4.7).
    func followHostedLink() async throws(CommandFailure) {
        let query = HTTPRequest.encoded([
            ("client_id", "invest"), ("redirect_uri", Self.investRedirectURI),
            ("code_challenge", Self.challenge),
        ])
        try await step("GET /clients/app/flows/app2app") { () async throws(CommandFailure) in
            var browser = WalkBrowser(facts["ISSUER"] ?? "", on: loop)
            let link = try await browser.get("/clients/app/flows/app2app?\(query)")
            guard let next = link["location"], next.contains("/oauth2/authorize?") else {
                throw Self.failure(link)
            }
            let answer = try await browser.get(next)
            try Self.require(answer["location"]?.hasPrefix("/login?") == true, answer)
            return ("303 to authorize, 303 to the login", ())
        }
    }

    /// The user's sessions, as an app shows them.
    func lookAround(_ tokens: Tokens) async throws(CommandFailure) {
        try await step("GET /api/v1/sessions") { () async throws(CommandFailure) in
            let answer = try await app.get("/api/v1/sessions", [Self.bearer(tokens)])
            let sessions = answer.json?["result"]?["sessions"]?.array ?? []
            let own = sessions.filter { $0["is_current"]?.bool == true }
            try Self.require(own.count == 1, answer)
            return ("\(sessions.count) sessions, this one among them", ())
        }
    }

    /// The user logs in again for the session that lives (WireContract 4.5).
    func logInAgain(_ tokens: Tokens) async throws(CommandFailure) {
        browser = WalkBrowser(facts["ISSUER"] ?? "", on: loop)
        let again = [("id_token_hint", tokens.identity), ("max_age", "0")]
        let code = try await signIn("openid", again)
        let fields = [
            ("grant_type", "authorization_code"), ("client_id", "app"), ("code", code),
            ("redirect_uri", Self.redirectURI), ("code_verifier", Self.verifier),
        ]
        let access = try await step("POST /oauth2/token, for the session that lives") {
            () async throws(CommandFailure) in
            let answer = try await app.post("/oauth2/token", fields)
            guard let access = answer.json?["access_token"]?.string,
                answer.json?["refresh_token"] == nil
            else { throw Self.failure(answer) }
            return ("an access token, and no second session", access)
        }
        let (before, after) = (try await introspect(tokens.access), try await introspect(access))
        guard before == after else { throw CommandFailure("\(after) is another session") }
    }
}
