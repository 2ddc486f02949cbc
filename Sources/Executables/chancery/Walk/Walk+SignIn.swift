import OAuth
import Runtime

extension Walk {
    /// Logs in through the pages; the code that comes of it.
    func signIn(_ scope: String = scope, _ more: [(name: String, value: String)] = [])
        async throws(CommandFailure) -> String
    {
        let fields: [(name: String, value: String)] = [
            ("client_id", "app"), ("redirect_uri", Self.redirectURI), ("response_type", "code"),
            ("scope", scope), ("state", "walk"), ("nonce", "walk"),
            ("code_challenge", Self.challenge), ("code_challenge_method", "S256"),
        ]
        let query = HTTPRequest.encoded(fields + more)
        let start = try await redirected("GET /oauth2/authorize", to: "/login") {
            (browser) async throws(CommandFailure) in
            try await browser.get("/oauth2/authorize?\(query)")
        }
        let form = try await page(start, "/login")
        let login = try Self.formFields(form)
        let email = email
        let wait = try await redirected("POST /login", to: "/login/wait") {
            (browser) async throws(CommandFailure) in
            try await browser.post("/login", login + [("email", email)], Self.from(browser))
        }
        let waiting = try Self.formFields(try await page(wait, "/login/wait"))
        try await approve()
        let back = try await redirected("POST /login/complete", to: Self.redirectURI) {
            (browser) async throws(CommandFailure) in
            var answer = try await browser.post("/login/complete", waiting, Self.from(browser))
            // The request may go on at /oauth2/authorize before it comes back to the app.
            for _ in 0..<3 {
                guard let next = answer["location"], !next.hasPrefix(Self.redirectURI) else {
                    break
                }
                answer = try await browser.get(next)
            }
            return answer
        }
        let parameters = try? Form(parsing: Array(back.drop { $0 != "?" }.dropFirst().utf8))
        guard let code = parameters?.single("code") else {
            throw CommandFailure("no code in \(back)")
        }
        return String(decoding: code, as: UTF8.self)
    }

    /// The mail comes, and the app on the phone approves its link.
    func approve() async throws(CommandFailure) {
        let (email, loop, mailPage) = (email, loop, facts["MAIL_PAGE"] ?? "")
        let used = usedLinks
        let link = try await step("the mail to \(email)") { () async throws(CommandFailure) in
            let link = try await WalkMail(page: mailPage).link(to: email, except: used, on: loop)
            return ("a link", link)
        }
        usedLinks.insert(link)
        guard let issuer = facts["ISSUER"], link.hasPrefix(issuer) else {
            throw CommandFailure("the link is not the issuer's: \(link)")
        }
        var phone = WalkBrowser(issuer, on: loop)
        try await step("POST the link, as an app does") { () async throws(CommandFailure) in
            let answer = try await phone.post(link, [])
            let status = answer.json?["result"]?["status"]?.string
            try Self.require(answer.status == 200 && status == "approved", answer)
            return ("approved", ())
        }
    }
}
