import OAuth

extension Walk {
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let tokenType = "urn:authgear:params:oauth:token-type:"

    /// A second app of the same vendor joins the session (OpenID Native SSO).
    func share(_ tokens: Tokens) async throws(CommandFailure) {
        let fields = exchange(tokens, of: "invest")
        try await step("POST /oauth2/token Native SSO, by the other app") {
            () async throws(CommandFailure) in
            let answer = try await app.post("/oauth2/token", fields)
            try Self.require(answer.json?["refresh_token"]?.string != nil, answer)
            return ("tokens of the same session", ())
        }
    }

    /// The app opens the vendor's web page, logged in by a cookie (pre-authenticated URL).
    func openWebPage(_ tokens: Tokens) async throws(CommandFailure) {
        let fields =
            exchange(tokens, of: "offers")
            + [("requested_token_type", Self.tokenType + "pre-authenticated-url-token")]
        let url = try await step("POST /oauth2/token pre-authenticated URL") {
            () async throws(CommandFailure) in
            let answer = try await app.post("/oauth2/token", fields)
            guard let token = answer.json?["access_token"]?.string,
                let hint = answer.json?["id_token"]?.string
            else { throw Self.failure(answer) }
            return ("\(token.prefix(12))…, and the next device secret", (token, hint))
        }
        let offers = facts["OFFERS_URL"] ?? ""
        let type = "urn:authgear:params:oauth:response-type:pre-authenticated-url%20token"
        let target =
            "/oauth2/authorize?client_id=offers&response_type=\(type)&response_mode=cookie"
            + "&prompt=none&id_token_hint=\(url.1)&x_pre_authenticated_url_token=\(url.0)"
            + "&redirect_uri=\(offers)/"
        var browser = WalkBrowser(facts["ISSUER"] ?? "", on: loop)
        let cookie = try await step("GET /oauth2/authorize, in a browser") {
            () async throws(CommandFailure) in
            let answer = try await browser.get(target, [("Sec-Fetch-Site", "none")])
            guard let cookie = answer["set-cookie"], cookie.hasPrefix("app_access_token="),
                answer["location"] == "\(offers)/"
            else { throw Self.failure(answer) }
            return ("303 to the web page, with its cookie", cookie.prefix { $0 != ";" })
        }
        try await step("GET \(offers)/") { () async throws(CommandFailure) in
            let request = HTTPRequest.get("/", [("Cookie", String(cookie))])
            let page = try await HTTPConnection.exchange(request, with: offers, on: loop)
            try Self.require(page.text.contains("data-state=\"signed-in\""), page)
            return ("the web page knows its user", ())
        }
        try await goOn(in: &browser)
    }

    /// The web page asks for a login of its own: the user only presses a button.
    private func goOn(in browser: inout WalkBrowser) async throws(CommandFailure) {
        let target =
            "/oauth2/authorize?client_id=offers&response_type=code&scope=openid"
            + "&code_challenge=\(Self.challenge)&code_challenge_method=S256"
        try await step("GET /oauth2/authorize, GET, POST /continue") {
            () async throws(CommandFailure) in
            let start = try await browser.get(target)
            guard let page = start["location"], page.hasPrefix("/continue?") else {
                throw Self.failure(start)
            }
            let form = WalkPage(html: try await browser.get(page).text)
            let answer = try await browser.post(
                "/continue",
                try Self.formFields(form) + [("action", "continue")],
                Self.from(browser)
            )
            try Self.require(answer["location"]?.contains("?code=ac_") == true, answer)
            return ("303 to the web page, with a code", ())
        }
    }

    /// The app opens the user's settings here: no login, one token, one redirect.
    func openSettings(_ tokens: Tokens) async throws(CommandFailure) {
        let issuer = facts["ISSUER"] ?? ""
        try await step("POST /oauth2/app_session_token, GET authorize, /settings") {
            () async throws(CommandFailure) in
            let answer = try await app.post(
                "/oauth2/app_session_token",
                json: ["refresh_token": .string(tokens.refresh)]
            )
            guard let token = answer.json?["result"]?["app_session_token"]?.string else {
                throw Self.failure(answer)
            }
            let hint =
                "https%3A%2F%2Fauthgear.com%2Flogin_hint%3Ftype%3Dapp_session_token"
                + "%26app_session_token%3D\(token)"
            var browser = WalkBrowser(issuer, on: loop)
            let opened = try await browser.get(
                "/oauth2/authorize?client_id=app&response_type=none&prompt=none"
                    + "&redirect_uri=\(issuer)/settings&login_hint=\(hint)"
            )
            try Self.require(
                opened["location"]?.hasPrefix("\(issuer)/settings") == true
                    && opened["set-cookie"]?.contains("chancery_settings=") == true,
                opened
            )
            let page = try await browser.get(opened["location"] ?? "")
            try Self.require(page.status == 200 && page.text.contains("You are here"), page)
            return ("303 to the settings, which show where one is", ())
        }
    }

    /// An authorization request that comes ahead of its browser (RFC 9126).
    func push() async throws(CommandFailure) {
        try await step("POST /oauth2/par, GET authorize") { () async throws(CommandFailure) in
            let pushed = try await app.post(
                "/oauth2/par",
                [
                    ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
                    ("redirect_uri", Self.redirectURI), ("code_challenge", Self.challenge),
                    ("code_challenge_method", "S256"),
                ]
            )
            guard let reference = pushed.json?["request_uri"]?.string else {
                throw Self.failure(pushed)
            }
            var browser = WalkBrowser(facts["ISSUER"] ?? "", on: loop)
            let answer = try await browser.get(
                "/oauth2/authorize?client_id=app&request_uri=\(reference)"
            )
            try Self.require(answer["location"]?.hasPrefix("/login?") == true, answer)
            return ("303 to the login", ())
        }
    }

    func exchange(_ tokens: Tokens, of client: String) -> [(name: String, value: String)] {
        [
            ("grant_type", Self.exchange), ("client_id", client),
            ("audience", facts["ISSUER"] ?? ""), ("subject_token", tokens.identity),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
            ("actor_token", tokens.deviceSecret),
            ("actor_token_type", "urn:x-oath:params:oauth:token-type:device-secret"),
        ]
    }
}
