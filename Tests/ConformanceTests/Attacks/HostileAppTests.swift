import TestSupport
import Testing

/// Attacks by an app that wants the code of another one (Security 4.1 and 4.3, T3).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks by a hostile app", .serialized, .timeLimit(.minutes(3))) struct HostileAppTests {
    private static func project() async throws -> TestProject {
        try await TestProject.named("hostile")
    }

    /// What lets `invest` in: a session with a device key, and one with a biometric key.
    private struct Owner {
        let site: Site
        let phone: PhoneKey
        let refreshToken: String?
        let user: BiometricUser

        init(at site: Site) async throws {
            self.site = site
            phone = try PhoneKey("ES256")
            var person = Person(at: site)
            refreshToken = try await person.session(on: phone).member("refresh_token")
            user = try await BiometricUser.enrolled(at: site)
        }

        private static func link(to address: String) -> GrantForm.Fields {
            [("redirect_uri", address), ("code_challenge", SignIn.challenge)]
        }

        /// By the device key; `claims`: what its JWT says besides.
        func approval(to address: String, _ claims: [String: String] = [:]) async throws
            -> WireRequest
        {
            let jwt = try await site.signed(by: phone, .app2app, claims)
            let form = GrantForm.app2app(refreshToken, jwt).filter {
                $0.0 != "redirect_uri" && $0.0 != "code_challenge"
            }
            return .token(form + Self.link(to: address))
        }

        /// By the biometric key.
        func login(to address: String, _ claims: [String: String] = [:]) async throws
            -> WireRequest
        {
            let own = [
                "claim.action": "authenticate_app2app", "claim.client_id": "invest",
                "header.kid": user.kid,
            ]
            let jwt = try await site.signed(by: user.finger, .biometric, own.merging(claims) { $1 })
            return .token(GrantForm.biometric(jwt, Self.link(to: address)))
        }
    }

    private struct Way {
        var sentence: String
        var request: WireRequest
        /// In the answer to one that is refused.
        var said = #""error":"invalid_request""#
    }

    /// All that names where a code of `invest` goes to, everything else right.
    private static func ways(to address: String, _ owner: Owner) async throws -> [Way] {
        let named = ["claim.redirect_uri": address]
        var ways = [
            Way(sentence: "an approval", request: try await owner.approval(to: address)),
            Way(
                sentence: "an approval that was signed for it",
                request: try await owner.approval(to: address, named)
            ),
            Way(sentence: "a login that approves", request: try await owner.login(to: address)),
            Way(
                sentence: "a login that approves, signed for it",
                request: try await owner.login(to: address, named)
            ),
        ]
        let asked = [
            ("client_id", "invest"), ("redirect_uri", address), ("state", "xyz"),
            ("code_challenge", SignIn.challenge),
        ]
        let whole =
            asked + [
                ("response_type", "code"), ("scope", "openid"), ("code_challenge_method", "S256"),
            ]
        ways.append(
            Way(
                sentence: "a pushed request",
                request: WireRequest("POST", "/oauth2/par", [], SignIn.form(whole))
            )
        )
        let pages = [
            ("a link", "/clients/app/flows/app2app", asked), ("a request", authorize, whole),
            ("a silent request", authorize, whole + [("prompt", "none")]),
            ("a form", authorize, whole + [("prompt", "none"), ("response_mode", "form_post")]),
        ]
        for (sentence, path, fields) in pages {
            let request = WireRequest("GET", "\(path)?\(SignIn.form(fields))")
            ways.append(
                Way(sentence: sentence, request: request, said: #"data-error="invalid_request""#)
            )
        }
        return ways
    }

    private static let authorize = "/oauth2/authorize"

    @Test("attack: another app asks in the user's browser, where any app could take the code")
    func silence() async throws {
        let site = try await Self.project().site
        var person = Person(at: site)
        _ = try await person.code()
        func asked(_ client: String, _ address: String, _ more: GrantForm.Fields = []) -> String {
            let fields =
                [
                    ("client_id", client), ("redirect_uri", address), ("response_type", "code"),
                    ("scope", "openid"), ("code_challenge", SignIn.challenge),
                    ("code_challenge_method", "S256"),
                ] + more
            return "\(Self.authorize)?\(SignIn.form(fields))"
        }
        var browser = person.browser
        let own = try #require(SignIn.redirectURIs["app"])
        let page = try await browser.send("GET", asked("app", own))
        #expect(page.status == 303, "\(page.text)")
        #expect(page["location"]?.contains("/continue?tx=") == true, "\(page.text)")
        let silent = try await browser.send("GET", asked("app", own, [("prompt", "none")]))
        #expect(silent["location"]?.hasPrefix("\(own)?error=login_required") == true)
        // A claimed address is its owner's, whoever asks.
        let claimed = try #require(SignIn.redirectURIs["offers"])
        let answer = try await browser.send("GET", asked("offers", claimed, [("prompt", "none")]))
        #expect(answer["location"]?.hasPrefix("\(claimed)?code=ac_") == true, "\(answer.text)")
    }

    @Test("attack: one client's code is steered to an address that is another client's")
    func steering() async throws {
        let project = try await Self.project()
        let site = project.site
        let owner = try await Owner(at: site)
        let race = try Race(at: project)
        for other in ["outsider", "app", "stranger"] {
            let address = try #require(SignIn.redirectURIs[other])
            for way in try await Self.ways(to: address, owner) {
                for node in site.nodes.indices {
                    let answer = try await site.send(way.request, at: node)
                    let sentence = "\(way.sentence), \(other)'s: \(answer.text)"
                    #expect(answer.status == 400, "\(sentence)")
                    #expect(answer["location"] == nil, "\(sentence)")
                    #expect(answer.text.contains(way.said), "\(sentence)")
                }
            }
        }
        #expect(try race.events() == [:])
        // Only the address was wrong.
        let own = try #require(SignIn.redirectURIs["invest"])
        for way in try await Self.ways(to: own, owner) {
            let answer = try await site.send(way.request)
            #expect(200...303 ~= answer.status, "\(way.sentence): \(answer.text)")
        }
    }

    @Test("attack: the code of an approval, by who was not let in, or without what it is bound to")
    func codes() async throws {
        let project = try await Self.project()
        let site = project.site
        let owner = try await Owner(at: site)
        let own = try #require(SignIn.redirectURIs["invest"])
        let kinds = [
            ("a device key", try await owner.approval(to: own)),
            ("a biometric key", try await owner.login(to: own)),
        ]
        for (kind, approval) in kinds {
            let code = try #require(try await site.send(approval).member("code"), "\(kind)")
            let good = GrantForm.code(code, of: "invest")
            func with(_ name: String, _ value: String) -> GrantForm.Fields {
                good.map { $0.0 == name ? (name, value) : $0 }
            }
            let rows = [
                ("the owner", with("client_id", "app")),
                ("the owner, at its own address", GrantForm.code(code)),
                ("a third app", with("client_id", "loose")),
                ("a third app, at its own address", GrantForm.code(code, of: "loose")),
                ("at another address", with("redirect_uri", "\(own)/")),
                ("at another app's", with("redirect_uri", SignIn.redirectURIs["app"] ?? "")),
                ("at no address", with("redirect_uri", "")),
                ("without the verifier", with("code_verifier", "")),
                ("with another verifier", with("code_verifier", "\(SignIn.verifier)x")),
                ("with the challenge as verifier", with("code_verifier", SignIn.challenge)),
            ]
            try await project.refuse(
                rows.map { ("\(kind): \($0.0)", $0.1) },
                as: "400 invalid_grant"
            )
            let redeemed = try await site.token(good)
            #expect(redeemed.status == 200, "\(kind): \(redeemed.text)")
        }
    }
}
