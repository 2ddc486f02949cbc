import Foundation
import Synchronization
import TestSupport

/// Signs a person in through the pages, as a browser without script does (WireContract 7).
struct SignIn {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// The pair of RFC 7636 appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    static let redirectURIs = [
        "app": "com.example.demo:/callback", "web": "https://web.demo.example/callback",
        "partner": "https://partner.example/callback", "invest": "com.example.invest:/callback",
        "offers": "https://offers.demo.example/callback",
        // Of a project under test.
        "loose": "com.example.loose:/callback", "cascading": "com.example.cascading:/callback",
        "denying": "com.example.denying:/callback", "bound": "com.example.bound:/callback",
        "strict": "com.example.strict:/callback", "lapsed": "com.example.lapsed:/callback",
        "guarded": "com.example.guarded:/callback", "hasty": "com.example.hasty:/callback",
        "alone": "com.example.alone:/callback", "choosy": "com.example.choosy:/callback",
        "shop": "https://shop.demo.example/callback", "desk": "https://desk.example/callback",
        "outsider": "https://outsider.example/callback", "vault": "https://vault.example/callback",
        "open-guest": "com.example.open-guest:/callback",
        "stranger": "com.example.stranger:/callback",
        "confirming": "com.example.confirming:/callback",
    ]

    /// The links that sign-ins of this run have approved, and those that they left behind.
    static let approved = Mutex<Set<String>>([])

    let mailPage: String
    let client: String
    let scope: String
    let email: String
    /// Further parameters of the authorization request.
    var more: [(String, String)] = []

    /// - Returns: the authorization code.
    func code(_ browser: inout Browser) async throws -> String {
        var target =
            "/oauth2/authorize?"
            + Self.form(
                [
                    ("client_id", client), ("redirect_uri", Self.redirectURIs[client] ?? ""),
                    ("response_type", "code"), ("scope", scope), ("state", "state-\(client)"),
                    ("nonce", "nonce-\(client)"), ("code_challenge", Self.challenge),
                    ("code_challenge_method", "S256"),
                ] + more
            )
        for _ in 0..<12 {
            var answer = try await browser.send("GET", target)
            if answer.status == 200 { answer = try await pass(answer, target, &browser) }
            guard let location = answer["location"], 301...303 ~= answer.status else {
                throw Failed(description: "\(target) answered \(answer.status): \(answer.text)")
            }
            if location.hasPrefix("/") {
                target = location
            } else if location.hasPrefix(browser.origin) {
                target = String(location.dropFirst(browser.origin.count))
            } else {
                return try Self.code(in: location)
            }
        }
        throw Failed(description: "the sign-in goes in circles at \(target)")
    }

    /// Fills in the form of a page.
    private func pass(
        _ page: WireAnswer,
        _ target: String,
        _ browser: inout Browser
    ) async throws -> WireAnswer {
        let path = String(target.prefix { $0 != "?" })
        let fields = [
            ("tx", Self.field("tx", page)), ("form_token", Self.field("form_token", page)),
        ]
        switch path {
        case "/login":
            return try await browser.post("/login", fields + [("email", email)])
        case "/login/wait":
            try await approve(at: browser.nodes)
            return try await browser.post("/login/complete", fields)
        case "/consent":
            return try await browser.post("/consent", fields + [("action", "allow")])
        case "/continue":
            return try await browser.post("/continue", fields + [("action", "continue")])
        default: throw Failed(description: "\(path) is no page of a sign-in")
        }
    }

    /// Approves the newest link as an app does that received it (7.4), first of all at the node
    /// that the browser comes to last.
    ///
    /// An address that was sent twice, since nobody knew whether the first was taken, has two
    /// links, of which the first approves nothing: then the next one is taken.
    private func approve(at nodes: [String], isAgain: Bool = false) async throws {
        let used = Self.approved.withLock { $0 }
        let link = try await MailBox(page: mailPage).newestLink(to: email, except: used)
        _ = Self.approved.withLock { $0.insert(link) }
        guard let url = URLComponents(string: link), let host = url.host else {
            throw Failed(description: "\(link) is no link")
        }
        let port = url.port.map { ":\($0)" } ?? ""
        var phone = Browser("\(url.scheme ?? "http")://\(host)\(port)", at: nodes.reversed())
        let answer = try await phone.send("POST", "\(url.percentEncodedPath)?\(url.query ?? "")")
        if answer.status == 403, answer.text.contains("InvalidLoginLink"), !isAgain {
            return try await approve(at: nodes, isAgain: true)
        }
        guard answer.status == 200 else {
            throw Failed(description: "the link answered \(answer.status): \(answer.text)")
        }
        // The next sign-in of this person is not told by what was sent twice here.
        let links = try await MailBox(page: mailPage).links(to: email)
        Self.approved.withLock { $0.formUnion(links) }
    }

    static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0.0)=\(escaped($0.1))" }.joined(separator: "&")
    }

    static func escaped(_ text: String) -> String {
        var allowed = CharacterSet(charactersIn: "-._~")
        allowed.formUnion(.init(charactersIn: "a"..."z"))
        allowed.formUnion(.init(charactersIn: "A"..."Z"))
        allowed.formUnion(.init(charactersIn: "0"..."9"))
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    /// The value of a hidden field of a page.
    static func field(_ name: String, _ page: WireAnswer) -> String {
        for tag in page.text.components(separatedBy: "<input").dropFirst()
        where tag.contains("name=\"\(name)\"") {
            let value = tag.components(separatedBy: "value=\"").dropFirst().first ?? ""
            return value.components(separatedBy: "\"")[0]
        }
        return ""
    }

    private static func code(in location: String) throws -> String {
        let items = URLComponents(string: location)?.queryItems ?? []
        guard let code = items.first(where: { $0.name == "code" })?.value else {
            throw Failed(description: "no code in \(location)")
        }
        return code
    }
}

extension Browser {
    mutating func post(_ target: String, _ fields: [(String, String)]) async throws -> WireAnswer {
        // A browser names where a form comes from; a POST without that is refused.
        let origin = (name: "Origin", value: origin)
        return try await send("POST", target, headers: [origin], body: SignIn.form(fields))
    }
}
