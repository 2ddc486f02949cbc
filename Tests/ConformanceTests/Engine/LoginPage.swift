import TestSupport

/// A browser that has asked for a login mail and looks at the waiting page.
struct LoginPage {
    var browser: Browser
    let tx: String

    fileprivate init(_ browser: Browser, tx: String) {
        self.browser = browser
        self.tx = tx
    }

    /// Goes as far as the waiting page, at `origin`, as a browser that knows it as `host`.
    init(
        at origin: String,
        host: String,
        email: String,
        client: String = "app",
        _ more: [(String, String)] = []
    ) async throws {
        let asked = try await Self.asking(
            at: origin,
            host: host,
            email: email,
            client: client,
            more
        )
        guard asked.answer.status == 303 else {
            let answer = "\(asked.answer.status): \(asked.answer.text)"
            throw SignIn.Failed(description: "/login answered \(answer)")
        }
        self = asked.page
    }

    /// Asks for the mail, and answers what that came to; `address`: who asks, as a proxy says.
    static func asking(
        at origin: String,
        host: String,
        email: String,
        client: String,
        _ more: [(String, String)] = [],
        from address: String? = nil
    ) async throws -> (page: Self, answer: WireAnswer) {
        let form = try await LoginForm(at: origin, host: host, client: client, more, from: address)
        return try await form.posted(email)
    }
}

/// A browser before the form that asks for an address.
struct LoginForm {
    private let browser: Browser
    private let headers: [(name: String, value: String)]
    private let host: String
    private let tx: String
    private let token: String

    /// Goes as far as the form, at `origin`, as a browser that knows it as `host`.
    init(
        at origin: String,
        host: String,
        client: String = "app",
        _ more: [(String, String)] = [],
        from address: String? = nil
    ) async throws {
        var browser = Browser(origin)
        var headers = [(name: "Host", value: host)]
        if let address { headers.append((name: "X-Forwarded-For", value: address)) }
        let target =
            "/oauth2/authorize?"
            + SignIn.form(
                [
                    ("client_id", client), ("response_type", "code"), ("scope", "openid"),
                    ("redirect_uri", SignIn.redirectURIs[client] ?? ""),
                    ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
                ] + more
            )
        let start = try await browser.send("GET", target, headers: headers)
        let page = try await browser.send("GET", start["location"] ?? "", headers: headers)
        self.browser = browser
        self.headers = headers
        self.host = host
        tx = SignIn.field("tx", page)
        token = SignIn.field("form_token", page)
    }

    /// Asks for the mail, and answers what that came to.
    func posted(_ email: String) async throws -> (page: LoginPage, answer: WireAnswer) {
        var browser = browser
        let fields = [("tx", tx), ("form_token", token), ("email", email)]
        let answer = try await browser.send(
            "POST",
            "/login",
            headers: headers + [(name: "Origin", value: "http://\(host)")],
            body: SignIn.form(fields)
        )
        return (LoginPage(browser, tx: tx), answer)
    }
}
