import TestSupport

/// A browser that has asked for a login mail and looks at the waiting page.
struct LoginPage {
    var browser: Browser
    let tx: String

    /// Goes as far as the waiting page, at `origin`, as a browser that knows it as `host`.
    init(
        at origin: String,
        host: String,
        email: String,
        client: String = "app",
        _ more: [(String, String)] = []
    ) async throws {
        var browser = Browser(origin)
        let named = [("Host", host)]
        let target =
            "/oauth2/authorize?"
            + SignIn.form(
                [
                    ("client_id", client), ("response_type", "code"), ("scope", "openid"),
                    ("redirect_uri", SignIn.redirectURIs[client] ?? ""),
                    ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
                ] + more
            )
        let start = try await browser.send("GET", target, headers: named)
        let page = try await browser.send("GET", start["location"] ?? "", headers: named)
        tx = SignIn.field("tx", page)
        let fields = [
            ("tx", tx), ("form_token", SignIn.field("form_token", page)), ("email", email),
        ]
        let sent = try await browser.send(
            "POST",
            "/login",
            headers: named + [("Origin", "http://\(host)")],
            body: SignIn.form(fields)
        )
        guard sent.status == 303 else {
            throw SignIn.Failed(description: "/login answered \(sent.status): \(sent.text)")
        }
        self.browser = browser
    }
}
