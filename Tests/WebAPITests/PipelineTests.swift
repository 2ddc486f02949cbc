import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

@Suite("The public pipeline") struct PipelineTests {
    private static let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    private let peer = Peer(SocketAddress.loopback(port: 1))

    @Test("an unknown host is 421, whatever the path") func unknownHost() async throws {
        let web = try await WebSide()
        for target in ["/oauth2/token", "/nowhere", "/.well-known/openid-configuration"] {
            let answer = try await web.send(.get, target, host: "other.example.com")
            #expect(answer.status == 421)
            #expect(answer.body.isEmpty)
        }
    }

    @Test("an unknown path is 404") func unknownPath() async throws {
        let web = try await WebSide()
        for path in ["/", "/oauth2", "/oauth2/token/", "/OAUTH2/token", "/livez", "/metrics"] {
            #expect(try await web.send(.get, path).status == 404)
        }
    }

    @Test("a wrong method is 405 and says what would be right") func wrongMethod() async throws {
        let web = try await WebSide()
        let answer = try await web.send(.get, "/oauth2/token")
        #expect(answer.status == 405)
        #expect(answer.field("Allow") == ["POST, OPTIONS"])
        let jwks = try await web.send(.post, "/oauth2/jwks")
        #expect(jwks.field("Allow") == ["GET, HEAD, OPTIONS"])
    }

    @Test("a person sees a page where there is none, a program the status alone")
    func nowhere() async throws {
        let web = try await WebSide()
        let nowhere = [("/nowhere", 404, "not_found"), ("/oauth2/token", 405, "invalid_request")]
        for (path, status, error) in nowhere {
            for accept in ["*/*", "application/json", "text/plain, */*", ""] {
                let answer = try await web.send(.get, path, headers: ["Accept": accept])
                #expect(answer.status == status && answer.body.isEmpty, "\(accept)")
                #expect(answer.field("Content-Type").isEmpty)
            }
            let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
            let answer = try await web.send(.get, path, headers: ["Accept": accept])
            #expect(answer.status == status)
            #expect(answer.field("Content-Type") == ["text/html; charset=utf-8"])
            #expect(answer.field("Content-Security-Policy").count == 1)
            #expect(answer.field("Cache-Control") == ["no-store"])
            #expect(answer.body.contains("<main data-error=\"\(error)\" data-request-id="))
            #expect(!answer.body.contains(path))
        }
    }

    @Test("every answer carries the request id") func requestID() async throws {
        let web = try await WebSide()
        for target in ["/nowhere", "/oauth2/jwks", "/oauth2/userinfo"] {
            let answer = try await web.send(.get, target)
            #expect(answer.field("X-Request-Id").map(\.utf8.count) == [32])
        }
    }

    @Test("OPTIONS names the methods") func options() async throws {
        let web = try await WebSide()
        let answer = try await web.send(.options, "/oauth2/introspect")
        #expect(answer.status == 204)
        #expect(answer.field("Allow") == ["POST, OPTIONS"])
        #expect(answer.field("Access-Control-Allow-Origin").isEmpty)
    }

    @Test("OPTIONS * names what the whole server can") func optionsOfServer() async throws {
        let web = try await WebSide()
        let answer = try await web.send(.options, "*")
        #expect(answer.status == 204)
        #expect(answer.field("Allow") == ["GET, HEAD, POST, DELETE, OPTIONS"])
    }

    @Test("a body that announces too much is refused unread, in the route's form")
    func bodyTooLarge() async throws {
        let web = try await WebSide()
        let head = RequestHead(
            .post,
            "/oauth2/revoke",
            host: "auth.example.com:443",
            contentLength: 64 * 1024 + 1
        )
        guard case .refuse(let response) = web.api.admit(head, from: peer) else {
            Issue.record("admitted")
            return
        }
        #expect(response.status == .contentTooLarge)
        #expect(String(decoding: response.body, as: UTF8.self).contains("invalid_request"))
        let fits = RequestHead(
            .post,
            "/oauth2/revoke",
            host: "AUTH.example.com",
            contentLength: 64 * 1024
        )
        guard case .accept(let terms) = web.api.admit(fits, from: peer) else {
            Issue.record("refused")
            return
        }
        #expect(terms.bodyBytesMax == 64 * 1024)
        #expect(terms.slots == .ending)
    }

    @Test(
        "when there is too much to do, logins go first and logouts last",
        arguments: [
            ("/oauth2/authorize", .starting), ("/oauth2/par", .starting),
            ("/oauth2/token", .usual), ("/oauth2/revoke", .ending), ("/logout", .ending),
            ("/oauth2/introspect", .ending), ("/login/status", .held),
        ] as [(String, Slots)]
    )
    func slots(_ path: String, slots: Slots) async throws {
        let web = try await WebSide()
        let methods: [Method] = [.get, .post]
        let terms = methods.compactMap { method -> Admission.Terms? in
            let head = RequestHead(method, path, host: "auth.example.com")
            guard case .accept(let terms) = web.api.admit(head, from: peer) else { return nil }
            return terms
        }
        #expect(Set(terms.map(\.slots)) == [slots])
    }

    @Test("an overloaded server answers 503 in the route's form") func overloaded() async throws {
        let web = try await WebSide()
        let head = RequestHead(.post, "/oauth2/token", host: "auth.example.com")
        let response = web.api.refused(RefusedRequest(.serviceUnavailable, head), from: peer)
        #expect(response.status == .serviceUnavailable)
        #expect(response.values(of: "Retry-After") == ["1"])
        let body = String(decoding: response.body, as: UTF8.self)
        #expect(body.contains("temporarily_unavailable"))
    }

    /// What the server refuses by itself, as far as it could be read.
    static let refusals: [(bytes: String, status: HTTPServer::Status, contains: String)] = [
        ("POST /oauth2/token HTTP/1.1\r\n", .badRequest, #"{"error":"invalid_request""#),
        ("POST /oauth2/token?x HTTP/1.1\r\n", .headerFieldsTooLarge, #""invalid_request""#),
        ("\r\nPOST /oauth2/introspect HTTP/9\r\n", .versionNotSupported, "invalid_request"),
        ("POST /oauth2/revoke?aaaaaaaaaaa", .uriTooLong, #""error_description":"the request t"#),
        ("GET /login?tx=a HTTP/1.1\r\n", .badRequest, #"data-error="invalid_request" data-req"#),
        ("GET /login/status HTTP/1.1\r\n", .requestTimeout, #""reason":"BadRequest""#),
        ("GET /login/status HTTP/1.1\r\n", .requestTimeout, #""code":408"#),
        ("GET /login/status HTTP/1.1\r\n", .contentTooLarge, "RequestEntityTooLarge"),
        ("GET /login/status HTTP/1.1\r\n", .serviceUnavailable, "ServiceUnavailable"),
    ]

    @Test("what the server refuses by itself has the route's form", arguments: refusals)
    func refused(_ row: (bytes: String, status: HTTPServer::Status, contains: String))
        async throws
    {
        let pages = try await PageSide()
        let web = try await WebSide()
        let request = RefusedRequest(row.status, reading: Array(row.bytes.utf8).span)
        let api = row.bytes.contains("oauth2") ? web.api : pages.api
        let answer = api.refused(request, from: peer)
        #expect(answer.status == row.status)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(row.contains))
        #expect(answer.values(of: "X-Request-Id").first?.utf8.count == 32)
        #expect(answer.values(of: "Cache-Control") == ["no-store"])
    }

    static let noise = ["", "GET", "BREW /x HTTP/1.1", "GET x", "\0\u{1}", "POST /nowhere "]

    @Test("what nobody can read is a status and an id", arguments: noise)
    func unreadable(_ bytes: String) async throws {
        let web = try await WebSide()
        let request = RefusedRequest(.badRequest, reading: Array(bytes.utf8).span)
        let answer = web.api.refused(request, from: peer)
        #expect(answer.status == .badRequest && answer.body.isEmpty)
        #expect(answer.values(of: "X-Request-Id").first?.utf8.count == 32)
    }

    @Test("a client's page may read a refusal, and a proxy's trace id names it")
    func refusedAcross() async throws {
        let web = try await WebSide()
        let head = RequestHead(
            .post,
            "/oauth2/token",
            host: "auth.example.com",
            fields: [("origin", "https://app.example.com"), ("traceparent", Self.traceparent)],
            contentLength: 1 << 20
        )
        guard case .refuse(let answer) = web.api.admit(head, from: peer) else {
            Issue.record("admitted")
            return
        }
        #expect(
            answer.values(of: "Access-Control-Allow-Origin") == ["https://app.example.com"]
        )
        let own = answer.values(of: "X-Request-Id")
        #expect(own != [String(Self.traceparent.dropFirst(3).prefix(32))])
    }

    @Test("requests are counted by route, method and status") func counted() async throws {
        let web = try await WebSide()
        _ = try await web.send(.get, "/oauth2/jwks")
        _ = try await web.send(.get, "/secret-\(UInt8.random(in: 0...255))")
        let text = String(decoding: web.metrics.render(), as: UTF8.self)
        let prefix = "chancery_http_requests_total"
        #expect(text.contains("\(prefix){route=\"/oauth2/jwks\",method=\"GET\",status=\"200\"} 1"))
        #expect(text.contains("\(prefix){route=\"unknown\",method=\"GET\",status=\"404\"} 1"))
        #expect(!text.contains("secret"))
    }

    @Test("a node whose clock is wrong answers 503 with Retry-After, and commits nothing")
    func wrongClock() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        let redeemed =
            "grant_type=authorization_code&code=\(code)&client_id=app"
            + "&redirect_uri=\(TokenSide.redirectURI)&code_verifier=\(TokenSide.verifier)"
        let commits = web.commits
        web.side.clock.distrust("the database's clock differs from ours by 3000 ms")
        let answer = try await web.post("/oauth2/token", redeemed)
        #expect(answer.status == 503)
        #expect(answer.error == "temporarily_unavailable")
        #expect(answer.field("Retry-After") == ["5"])
        let login = try await web.send(.get, "/oauth2/authorize?client_id=app")
        #expect(login.status == 503)
        #expect(login.body.contains("data-error=\"temporarily_unavailable\""))
        #expect(web.commits == commits)
        web.side.clock.distrust(nil)
        #expect(try await web.post("/oauth2/token", redeemed).status == 200)
    }

    @Test("without the right time only files and documents are served") func timeless()
        async throws
    {
        let web = try await WebSide()
        let routes =
            Routes.tokenSide(web.services) + Routes.signIn(web.pages)
            + Routes.aheadOfBrowsers(
                web.pages,
                clients: web.services.clients,
                grants: web.side.grants
            )
        let exempt = routes.filter { !type(of: $0).needsTime }.map { "\(type(of: $0))" }
        #expect(
            Set(exempt) == [
                "DiscoveryRoute", "JWKSRoute", "AppleLinkFileRoute", "AndroidLinkFileRoute",
                "AssetRoute",
            ]
        )
        web.side.clock.distrust("an hour ahead")
        for route in routes {
            for path in type(of: route).paths {
                for method in type(of: route).methods {
                    let status = try await web.send(method, path).status
                    #expect((status == 503) == type(of: route).needsTime, "\(method) \(path)")
                }
            }
        }
        #expect(try await web.send(.options, "/oauth2/token").status == 204)
    }
}
