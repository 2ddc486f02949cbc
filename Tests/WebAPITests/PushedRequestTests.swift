import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Authorization requests that come ahead of their browser (RFC 9126, WireContract 4.6).
@Suite("Pushed requests") struct PushedRequestTests {
    static let endpoint = "https://auth.example.com/oauth2/par"
    static let challenge = String(repeating: "A", count: 43)

    static func form(_ changes: [String: String] = [:]) -> String {
        var fields = [
            "client_id": "app", "response_type": "code", "state": "s", "scope": "openid email",
            "redirect_uri": TokenSide.redirectURI, "code_challenge": challenge,
            "code_challenge_method": "S256",
        ]
        fields.merge(changes) { $1 }
        return fields.filter { !$0.value.isEmpty }.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    static func push(
        _ web: WebSide,
        _ changes: [String: String] = [:],
        _ headers: KeyValuePairs<String, String> = [:]
    ) async throws -> Answer {
        try await web.post("/oauth2/par", form(changes), headers)
    }

    /// A browser with this cookie brings the reference.
    static func bring(
        _ web: WebSide,
        _ pushed: Answer,
        client: String = "app",
        cookie: String = "",
        more: String = ""
    ) async throws -> Answer {
        let reference = try #require(pushed["request_uri"]?.string)
        return try await bring(web, reference, client: client, cookie: cookie, more: more)
    }

    static func bring(
        _ web: WebSide,
        _ reference: String,
        client: String = "app",
        cookie: String = "",
        more: String = ""
    ) async throws -> Answer {
        try await web.send(
            .get,
            "/oauth2/authorize?client_id=\(client)&request_uri=\(reference)\(more)",
            fields: cookie.isEmpty ? [] : [("cookie", cookie)]
        )
    }

    static func cookie(_ answer: Answer) throws -> String {
        String(try #require(answer.field("Set-Cookie").first).prefix { $0 != ";" })
    }

    @Test("the first browser takes it, and may load it again") func taken() async throws {
        let web = try await WebSide()
        let pushed = try await Self.push(web)
        #expect(pushed.status == 201)
        #expect(pushed["expires_in"]?.integer == 60)
        #expect(pushed.field("Cache-Control") == ["no-store"])
        let reference = try #require(pushed["request_uri"]?.string)
        #expect(reference.hasPrefix("urn:ietf:params:oauth:request_uri:"))
        #expect(reference.utf8.count == 34 + 64)
        // What the URL says beside it is ignored.
        let first = try await Self.bring(web, pushed, more: "&state=evil&scope=payments.read")
        let page = try #require(first.field("Location").first)
        #expect(page.hasPrefix("/login?tx="))
        let commits = web.commits
        let again = try await Self.bring(web, pushed, cookie: try Self.cookie(first))
        #expect(again.field("Location") == [page])
        #expect(web.commits == commits)
        // Its answer is the pushed one's: `state` and scope are those.
        let silent = try await Self.push(web, ["prompt": "none", "state": "mine"])
        let answer = try await Self.bring(web, silent, more: "&state=evil")
        #expect(answer.field("Location").first?.contains("error=login_required") == true)
        #expect(answer.field("Location").first?.contains("state=mine&") == true)
    }

    @Test("attack: another browser, another client, a guess, too late: page 400, nothing changes")
    func foreign() async throws {
        let web = try await WebSide()
        let pushed = try await Self.push(web)
        let commits = web.commits
        #expect(try await Self.bring(web, pushed, client: "other").status == 400)
        let reference = try #require(pushed["request_uri"]?.string)
        for guess in [
            String(reference.dropLast()) + (reference.last == "A" ? "B" : "A"),
            String(reference.dropLast()), "urn:ietf:params:oauth:request_uri:x", "https://evil",
        ] {
            let answer = try await web.send(
                .get,
                "/oauth2/authorize?client_id=app&request_uri=\(guess)"
            )
            #expect(answer.status == 400)
            #expect(answer.pageError == "invalid_request")
        }
        #expect(web.commits == commits)
        let taken = try await Self.bring(web, pushed)
        #expect(taken.status == 303)
        // The one whose cookie it is has taken it: this one has none, and that one another's.
        let after = web.commits
        #expect(try await Self.bring(web, pushed).status == 400)
        let other = try await Self.bring(web, try await Self.push(web))
        #expect(try await Self.bring(web, pushed, cookie: try Self.cookie(other)).status == 400)
        #expect(web.commits == after + 2)
        let late = try await Self.push(web)
        web.side.clock.advance(seconds: 60)
        #expect(try await Self.bring(web, late).status == 400)
        let cookie = try Self.cookie(taken)
        #expect(try await Self.bring(web, pushed, cookie: cookie).status == 400)
    }

    @Test("attack: fifty browsers at once, one takes it") func race() async throws {
        let web = try await WebSide()
        let reference = try #require(try await Self.push(web)["request_uri"]?.string)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await Self.bring(web, reference).status } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [303: 1, 400: 49])
    }

    @Test(
        "what the authorization endpoint would refuse is said to the client",
        arguments: [
            (["redirect_uri": "https://evil.example/cb"], 400, "invalid_request"),
            (["response_type": "token"], 400, "unsupported_response_type"),
            (["response_type": ""], 400, "invalid_request"),
            (["response_mode": "cookie"], 400, "invalid_request"),
            (["request": "ey.J.x"], 400, "request_not_supported"),
            (["prompt": "none login"], 400, "invalid_request"),
            (["code_challenge": ""], 400, "invalid_request"),
            (["code_challenge_method": "plain"], 400, "invalid_request"),
            (["scope": ""], 400, "invalid_request"),
            (["scope": "openid admin"], 400, "invalid_scope"),
            (
                ["scope": "openid https://authgear.com/scopes/pre-authenticated-url"], 400,
                "invalid_scope"
            ),
            (["resource": "https://evil.example"], 400, "invalid_target"),
            (["id_token_hint": "ey.J.x"], 400, "invalid_request"),
            (["dpop_jkt": "short"], 400, "invalid_request"),
            (["request_uri": "urn:ietf:params:oauth:request_uri:x"], 400, "invalid_request"),
            (["client_id": "nobody"], 401, "invalid_client"),
            (["client_id": "web"], 401, "invalid_client"),
            (["client_id": "api"], 401, "invalid_client"),
        ] as [([String: String], Int, String)]
    )
    func refused(_ changes: [String: String], _ status: Int, _ error: String) async throws {
        let web = try await WebSide()
        let commits = web.commits
        let answer = try await Self.push(web, changes)
        #expect(answer.status == status)
        #expect(answer.error == error)
        #expect(web.commits == commits)
    }

    @Test("a proof binds the code: nobody redeems it without the key") func bindsTheCode()
        async throws
    {
        let web = try await WebSide()
        let phone = try Phone()
        let payload = DPoPTests.payload("push", at: Self.endpoint)
        let pushed = try await Self.push(
            web,
            ["prompt": "none", "code_challenge": DeviceKeyTests.challenge],
            ["dpop": try phone.jwt(phone.header("dpop+jwt"), payload)]
        )
        let session = try await PreAuthenticatedURLTests.signIn(
            web,
            web.side.subject,
            isNew: false
        )
        let back = try await Self.bring(
            web,
            pushed,
            cookie: "__Host-chancery_session=\(session)"
        )
        let code = try back.code()
        func redeem(_ proof: String?) async throws -> Answer {
            try await DPoPTests.redeem(web, code: code, proof: proof)
        }
        try await web.expectNothingRecorded {
            for proof in [nil, try DPoPTests.proof(Phone(), "thief")] {
                let answer = try await redeem(proof)
                #expect(answer.status == 400)
                #expect(answer.error == "invalid_dpop_proof")
            }
        }
        #expect(try await redeem(DPoPTests.proof(phone, "own")).status == 200)
    }

    @Test("a proof of a pushed request is good once, for it, and by the key it names")
    func proven() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let proof = { (id: String) in
            try phone.jwt(
                phone.header("dpop+jwt"),
                DPoPTests.payload(id, at: Self.endpoint)
            )
        }
        #expect(try await Self.push(web, [:], ["dpop": try proof("a")]).status == 201)
        let used = try await Self.push(web, [:], ["dpop": try proof("a")])
        #expect(used.error == "invalid_dpop_proof")
        let other = String(repeating: "B", count: 42) + "A"
        let two = try await Self.push(web, ["dpop_jkt": other], ["dpop": try proof("b")])
        #expect(two.error == "invalid_dpop_proof")
        let token = try phone.jwt(phone.header("dpop+jwt"), DPoPTests.payload("c"))
        #expect(try await Self.push(web, [:], ["dpop": token]).error == "invalid_dpop_proof")
    }

    @Test("attack: a client that must push sends the request by the browser") func required()
        async throws
    {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[0].requiresPushedRequests = true
        try await web.side.apply(settings)
        let commits = web.commits
        let answer = try await web.send(.get, "/oauth2/authorize?\(Self.form())")
        #expect(answer.status == 400)
        #expect(answer.pageError == "invalid_request")
        #expect(web.commits == commits)
        #expect(try await Self.bring(web, try await Self.push(web)).status == 303)
    }

    @Test("attack: what cannot be pushed goes past the demand to push") func unpushable()
        async throws
    {
        let web = try await WebSide()
        let token = try await AppSessionTokenTests.tokens(web).browser
        let exchanged = try await PreAuthenticatedURLTests.exchange(
            web,
            try await PreAuthenticatedURLTests.session(web)
        )
        let id = web.side.project.settings.id
        var settings = try #require(web.side.projects.project(id: id)).settings
        for index in settings.clients.indices {
            settings.clients[index].requiresPushedRequests = true
        }
        try await web.side.apply(settings)
        let commits = web.commits
        let target = PreAuthenticatedURLTests.target(
            try PreAuthenticatedURLTests.parameters(exchanged)
        )
        let answers = [
            try await web.send(.get, target), try await AppSessionTokenTests.open(web, token),
        ]
        for answer in answers {
            #expect(answer.status == 400)
            #expect(answer.field("Set-Cookie") == [])
        }
        #expect(web.commits == commits)
    }

    @Test("after the login the same browser may load it again: the consent is still asked for")
    func loadedAfterLogin() async throws {
        let web = try await WebSide()
        let pushed = try await Self.push(web, ["prompt": "consent"])
        let first = try await Self.bring(web, pushed)
        let cookie = try Self.cookie(first)
        let page = try #require(first.field("Location").first)
        let id = try #require(page.split(separator: "=").last.flatMap { StreamID(text: $0.utf8) })
        let text = Array(cookie.drop { $0 != "=" }.dropFirst().utf8)
        let binding = try #require(
            OpaqueToken(.transaction, reading: text, digester: web.side.digester)
        )
        let now = web.side.clock.now
        let login = Authorization.Login(
            subject: web.side.subject,
            browserSession: nil,
            via: .loginLink,
            authentication: Authentication(methods: [.otp], at: now.wholeMilliseconds)
        )
        try await web.side.run(Authorization.self, id) {
            .authenticate(login, browser: binding.digest, at: now)
        }
        let again = try await Self.bring(web, pushed, cookie: cookie)
        #expect(again.field("Location") == ["/consent?tx=\(id)"])
        #expect(try await Self.bring(web, pushed).status == 400)
        web.side.clock.advance(seconds: 60)
        #expect(try await Self.bring(web, pushed, cookie: cookie).status == 400)
    }
}
