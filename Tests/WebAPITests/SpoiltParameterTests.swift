import Domain
import HTTPServer
import InMemory
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

private typealias P = SpoiltParameter
private let request = "400 invalid_request"
private let grant = "400 invalid_grant"
private let client = "401 invalid_client"
private let opaque = String(repeating: "A", count: 64)
private let basic = [(name: "authorization", value: "Basic YXBpOmEtc2VjcmV0")]

/// What every grant type of a public client reads first.
private func grantType(_ name: String, _ id: String = "app") -> [P] {
    [
        P("client_id", id, absent: client, long: client),
        P("grant_type", name, absent: request, long: "400 unsupported_grant_type"),
    ]
}

private let resource = P("resource", "https://api.example.com", absent: grant, long: grant)
    .but { $0.twice = grant }
private let deviceInfo = P("x_device_info", "e30", absent: grant, long: request)
private let hint = P("token_type_hint", "access_token", absent: "200", long: "200")

private let grants: [SpoiltRoute] = [
    SpoiltRoute(
        method: .post,
        path: "/oauth2/token",
        form: .oauth,
        parameters: grantType("authorization_code") + [
            P("code", "ac_\(opaque)", absent: request, long: grant),
            P("redirect_uri", "com.example.app:/x", absent: grant, long: request),
            P("code_verifier", TokenSide.verifier, absent: grant, long: request),
            resource, deviceInfo,
        ],
        note: "authorization_code"
    ),
    SpoiltRoute(
        method: .post,
        path: "/oauth2/token",
        form: .oauth,
        parameters: grantType("refresh_token") + [
            P("refresh_token", "rt_\(opaque)AAAAAAAA", absent: request, long: grant),
            P("scope", "openid", absent: grant, long: request), deviceInfo,
        ],
        note: "refresh_token"
    ),
    SpoiltRoute(
        method: .post,
        path: "/oauth2/token",
        form: .oauth,
        parameters: [
            P(
                "grant_type",
                "client_credentials",
                absent: request,
                long: "400 unsupported_grant_type"
            ),
            P("scope", "revocations.read", absent: "400 invalid_target", long: request),
            P("resource", "https://no.example", absent: "200", long: "400 invalid_target")
                .but { $0.twice = "400 invalid_target" },
        ],
        headers: basic,
        note: "client_credentials"
    ),
    SpoiltRoute(
        method: .post,
        path: "/oauth2/token",
        form: .oauth,
        parameters: grantType("urn:authgear:params:oauth:grant-type:app2app-request", "other") + [
            P("refresh_token", "rt_\(opaque)AAAAAAAA", absent: request, long: grant),
            P("jwt", "a.b.c", absent: request, long: grant),
            P(
                "redirect_uri",
                TokenSide.redirectURI,
                absent: request,
                long: request
            ),
            P("code_challenge", SignInSide.challenge, absent: request, long: request),
            P("code_challenge_method", "S256", absent: grant, long: request),
            P("scope", "openid", absent: grant, long: request),
        ],
        note: "app2app"
    ),
    SpoiltRoute(
        method: .post,
        path: "/oauth2/token",
        form: .oauth,
        parameters: grantType("urn:authgear:params:oauth:grant-type:biometric-request") + [
            P("jwt", "a.b.c", absent: request, long: request),
            P("scope", "openid", absent: request, long: request),
        ],
        note: "biometric"
    ),
]

private let tokens: [SpoiltRoute] = [
    SpoiltRoute(
        method: .post,
        path: "/oauth2/revoke",
        form: .oauth,
        parameters: [
            P("token", "x", absent: request, long: "200").but { $0.empty = "200" }, hint,
            P("client_id", "app", absent: "200", long: client),
        ]
    ),
    SpoiltRoute(
        method: .post,
        path: "/oauth2/introspect",
        form: .oauth,
        parameters: [P("token", "x", absent: request, long: "200"), hint],
        headers: basic
    ),
    SpoiltRoute(
        method: .post,
        path: "/oauth2/userinfo",
        form: .oauth,
        parameters: [
            P("access_token", "x", absent: "401 invalid_token", long: "401 invalid_token")
        ]
    ),
]

@Suite("Every parameter, spoilt") struct SpoiltParameterTests {
    @Test(
        "at the token side: in its form, and nothing changes",
        arguments: grants + tokens + SpoiltGrants.all
    )
    func tokenSide(_ route: SpoiltRoute) async throws {
        let web = try await WebSide(limits: [
            .failedRequest: .init(perMinute: 0), .failedClientAuthentication: .init(perMinute: 0),
        ])
        let before = web.commits
        for row in route.parameters.flatMap(route.rows) {
            let headers = route.headers + [(name: "content-type", value: WebSide.form)]
            let answer = await web.send(route, headers, row.text)
            #expect(route.outcome(answer) == row.expected, "\(row.what)")
            #expect(!answer.body.contains("SPOILT"), "\(row.what)")
            guard answer.status >= 400 else { continue }
            #expect(answer.field("Content-Type") == ["application/json"], "\(row.what)")
            #expect(answer.field("Cache-Control") == ["no-store"], "\(row.what)")
        }
        #expect(web.commits == before)
    }

    @Test("at the pages: in their form, and nothing changes", arguments: SpoiltPages.all)
    func pages(_ route: SpoiltRoute) async throws {
        var side = try await PageSide(limits: [.page: .init(perMinute: 0)])
        let fields = try await side.openLogin().fields.split(separator: "&").map(String.init)
        let tx = try #require(fields.first { $0.hasPrefix("tx=") })
        let token = try #require(fields.first { $0.hasPrefix("form_token=") })
        for row in route.parameters.flatMap(route.rows) {
            let text = row.text.replacing("tx=TX", with: tx)
                .replacing("form_token=TOKEN", with: token)
            let before = side.side.store.commits.count
            let isPost = route.method == .post
            let answer = await side.send(
                route.method,
                isPost ? route.path : "\(route.path)?\(text)",
                route.headers + (isPost ? [("content-type", WebSide.form)] : []),
                body: isPost ? text : ""
            )
            #expect(route.outcome(answer) == row.expected, "\(row.what): \(answer.body)")
            let isEchoed = answer.body.contains("SPOILT")
            #expect(!isEchoed || row.what.hasPrefix("email"), "\(row.what)")
            // A good authorization request begins something; nothing else here may.
            guard !row.expected.hasPrefix("303") || row.expected.contains("invalid") else {
                continue
            }
            #expect(side.side.store.commits.count == before, "\(row.what)")
        }
    }
}

extension WebSide {
    fileprivate func send(
        _ route: SpoiltRoute,
        _ headers: [(name: String, value: String)],
        _ form: String
    ) async -> Answer {
        let response = await api.respond(
            to: WebAPI.Request(
                method: route.method,
                path: route.path,
                host: "auth.example.com",
                headers: RequestHeaders(Fields(headers)),
                body: Array(form.utf8),
                client: ClientAddress(.loopback(port: 1)),
                id: RequestID(StreamID(high: 1, low: 2)),
                deadline: Fixture.noDeadline
            )
        )
        return Answer(
            status: response.status.rawValue,
            body: String(decoding: response.body, as: UTF8.self),
            field: response.values
        )
    }
}
