import OAuth
import Runtime

extension Walk {
    static let authgear = "urn:authgear:params:oauth:grant-type:"
    private static let app2app = "vnd.authgear.app2app-request"
    private static let biometric = "vnd.authgear.biometric-request"
    static let investRedirectURI = "com.example.invest:/callback"

    /// The claims of a request that a phone signs, over a fresh challenge.
    func claims(_ purpose: String, _ action: String) async throws(CommandFailure)
        -> [(name: String, value: JSON)]
    {
        let challenge = try await step("POST /oauth2/challenge \(purpose)") {
            () async throws(CommandFailure) in
            let answer = try await app.post(
                "/oauth2/challenge",
                json: ["purpose": .string(purpose)]
            )
            guard let token = answer.json?["result"]?["token"]?.string else {
                throw Self.failure(answer)
            }
            return ("\(token.prefix(12))…", token)
        }
        let now = WallTime.nowSeconds()
        return [
            ("iat", .integer(now)), ("exp", .integer(now + 60)), ("action", .string(action)),
            ("challenge", .string(challenge)),
        ]
    }

    /// Redeems the code, and binds the phone's key to the session.
    func redeem(_ code: String, with phone: WalkPhone) async throws(CommandFailure) -> Tokens {
        let jwt = try phone.jwt(Self.app2app, try await claims("app2app_request", "setup"))
        return try await tokens(
            "authorization_code",
            [
                ("code", code), ("redirect_uri", Self.redirectURI),
                ("code_verifier", Self.verifier), ("x_app2app_device_key_jwt", jwt),
            ]
        )
    }

    /// The app lets another app in, which gets a session of its own.
    func letIn(_ phone: WalkPhone, _ tokens: Tokens) async throws(CommandFailure) {
        let jwt = try phone.jwt(Self.app2app, try await claims("app2app_request", "setup"))
        let code = try await step("POST /oauth2/token app2app") {
            () async throws(CommandFailure) in
            let answer = try await app.post(
                "/oauth2/token",
                [
                    ("grant_type", Self.authgear + "app2app"), ("client_id", "invest"),
                    ("refresh_token", tokens.refresh), ("jwt", jwt),
                    ("redirect_uri", Self.investRedirectURI), ("code_challenge", Self.challenge),
                ]
            )
            guard let code = answer.json?["code"]?.string else { throw Self.failure(answer) }
            return ("a code for the other app", code)
        }
        try await step("POST /oauth2/token, by the other app") {
            () async throws(CommandFailure) in
            let answer = try await app.post(
                "/oauth2/token",
                [
                    ("grant_type", "authorization_code"), ("client_id", "invest"), ("code", code),
                    ("redirect_uri", Self.investRedirectURI), ("code_verifier", Self.verifier),
                ]
            )
            try Self.require(answer.status == 200, answer)
            return ("a session of its own", ())
        }
    }

    /// The user registers a finger, and logs in with it.
    func touch(_ tokens: Tokens) async throws(CommandFailure) {
        let finger = try WalkPhone()
        let kid = "walk-" + Wiring.randomBytes(8).map { String($0, radix: 16) }.joined()
        let grant = Self.authgear + "biometric-request"
        let setup = try finger.jwt(
            Self.biometric,
            kid: kid,
            try await claims("biometric_request", "setup")
        )
        try await step("POST /oauth2/token biometric setup") {
            () async throws(CommandFailure) in
            let fields = [("grant_type", grant), ("client_id", "app"), ("jwt", setup)]
            let answer = try await app.post("/oauth2/token", fields, [Self.bearer(tokens)])
            try Self.require(answer.status == 200, answer)
            return ("200", ())
        }
        let login = try finger.jwt(
            Self.biometric,
            kid: kid,
            try await claims("biometric_request", "authenticate")
        )
        _ = try await self.tokens(grant, [("jwt", login)], what: "authenticate")
        let approval = try finger.jwt(
            Self.biometric,
            kid: kid,
            try await claims("biometric_request", "authenticate_app2app")
                + [("client_id", "invest")]
        )
        let asked = [
            ("jwt", approval), ("redirect_uri", Self.investRedirectURI),
            ("code_challenge", Self.challenge),
        ]
        _ = try await self.tokens(grant, asked, what: "authenticate_app2app")
        try await remove(kid, tokens)
    }

    /// The user was told of the key by mail, finds it in the list, and removes it.
    private func remove(_ kid: String, _ tokens: Tokens) async throws(CommandFailure) {
        let (email, loop, mailPage) = (email, loop, facts["MAIL_PAGE"] ?? "")
        try await step("the mail about the key") { () async throws(CommandFailure) in
            let mail = WalkMail(page: mailPage)
            _ = try await mail.text(to: email, subject: "New sign-in method", on: loop)
            return ("it came", ())
        }
        try await step("GET, DELETE /api/v1/biometric_keys") {
            () async throws(CommandFailure) in
            let path = "/api/v1/biometric_keys"
            let list = try await app.get(path, [Self.bearer(tokens)])
            let keys = list.json?["result"]?["biometric_keys"]?.array ?? []
            try Self.require(keys.contains { $0["kid"]?.string == kid }, list)
            let removed = try await app.delete("\(path)/\(kid)", [Self.bearer(tokens)])
            try Self.require(removed.status == 200, removed)
            return ("listed, and removed", ())
        }
    }
}
