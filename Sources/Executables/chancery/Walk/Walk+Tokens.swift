import OAuth

extension Walk {
    func use(_ tokens: Tokens) async throws(CommandFailure) {
        let email = email
        try await step("GET /oauth2/userinfo") { () async throws(CommandFailure) in
            let answer = try await app.get("/oauth2/userinfo", [Self.bearer(tokens)])
            try Self.require(answer.json?["email"]?.string == email, answer)
            return (email, ())
        }
    }

    /// A fresh id token for the app that holds a live access token.
    func identify(_ tokens: Tokens) async throws(CommandFailure) {
        try await step("POST /oauth2/token id-token") { () async throws(CommandFailure) in
            let fields = [("grant_type", Self.authgear + "id-token"), ("client_id", "app")]
            let answer = try await app.post("/oauth2/token", fields, [Self.bearer(tokens)])
            let identity = answer.json?["id_token"]?.string
            try Self.require(identity != nil && identity != tokens.identity, answer)
            return ("an id token", ())
        }
    }

    /// Rotates, and repeats as if the answer had been lost.
    func refresh(_ tokens: Tokens) async throws(CommandFailure) -> String {
        let next = try await self.tokens("refresh_token", [("refresh_token", tokens.refresh)])
        let again = try await self.tokens(
            "refresh_token",
            [("refresh_token", tokens.refresh)],
            what: "the same again"
        )
        guard next.refresh == again.refresh, next.refresh != tokens.refresh else {
            throw CommandFailure("a retried refresh did not get the same successor")
        }
        return next.refresh
    }

    func tokens(
        _ grant: String,
        _ form: [(name: String, value: String)],
        what: String? = nil
    ) async throws(CommandFailure) -> Tokens {
        let name = "POST /oauth2/token \(grant)" + (what.map { ", \($0)" } ?? "")
        return try await step(name) { () async throws(CommandFailure) in
            let fields = [("grant_type", grant), ("client_id", "app")] + form
            let answer = try await app.post("/oauth2/token", fields)
            guard answer.status == 200, let access = answer.json?["access_token"]?.string,
                let refresh = answer.json?["refresh_token"]?.string,
                let identity = answer.json?["id_token"]?.string
            else { throw Self.failure(answer) }
            let tokens = Tokens(
                access: access,
                refresh: refresh,
                identity: identity,
                deviceSecret: answer.json?["device_secret"]?.string ?? ""
            )
            return ("tokens for \(answer.json?["expires_in"]?.integer ?? 0) s", tokens)
        }
    }

    /// - Returns: the session's id.
    func introspect(_ token: String) async throws(CommandFailure) -> String {
        try await step("POST /oauth2/introspect") { () async throws(CommandFailure) in
            let answer = try await introspection(of: token)
            guard answer.json?["active"]?.bool == true, let sid = answer.json?["sid"]?.string else {
                throw Self.failure(answer)
            }
            return ("active, session \(sid)", sid)
        }
    }

    func introspection(of token: String) async throws(CommandFailure)
        -> HTTPAnswer
    {
        let api = [Self.basic(facts["CLIENT_API"] ?? "")]
        return try await app.post("/oauth2/introspect", [("token", token)], api)
    }

    func revoke(_ refresh: String, _ tokens: Tokens) async throws(CommandFailure) {
        try await step("POST /oauth2/revoke") { () async throws(CommandFailure) in
            let fields = [("client_id", "app"), ("token", refresh)]
            let answer = try await app.post("/oauth2/revoke", fields)
            try Self.require(answer.status == 200, answer)
            return ("200", ())
        }
        try await step("POST /oauth2/introspect") { () async throws(CommandFailure) in
            let answer = try await introspection(of: tokens.access)
            try Self.require(answer.json?["active"]?.bool == false, answer)
            return ("not active", ())
        }
        try await step("POST /oauth2/token refresh_token") {
            () async throws(CommandFailure) in
            let fields = [
                ("grant_type", "refresh_token"), ("client_id", "app"), ("refresh_token", refresh),
            ]
            let answer = try await app.post("/oauth2/token", fields)
            let error = answer.json?["error"]?.string
            try Self.require(answer.status == 400 && error == "invalid_grant", answer)
            return ("400 invalid_grant", ())
        }
    }
}
