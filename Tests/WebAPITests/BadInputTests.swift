import HTTPServer
import OAuth
import TestSupport
import Testing
import WebAPI

/// One parameter of one route, spoilt in every way; nothing of it may change anything.
private struct Spoilt: CustomTestStringConvertible, Sendable {
    let what: String
    let path: String
    let body: [UInt8]
    let status: Int
    let error: String?

    var testDescription: String { what }

    init(_ what: String, _ path: String, _ body: String, _ status: Int, _ error: String?) {
        self.init(what, path, Array(body.utf8), status, error)
    }

    init(_ what: String, _ path: String, _ body: [UInt8], _ status: Int, _ error: String?) {
        self.what = what
        self.path = path
        self.body = body
        self.status = status
        self.error = error
    }
}

private let token = "/oauth2/token"
private let revoke = "/oauth2/revoke"
private let introspect = "/oauth2/introspect"
private let web = "client_id=web&client_secret=a-secret"
private let code = "grant_type=authorization_code&client_id=app&"
private let refresh = "grant_type=refresh_token&client_id=app&"
private let long = String(repeating: "a", count: 9_000)

private let spoilt: [Spoilt] = [
    Spoilt("token: nothing at all", token, "", 401, "invalid_client"),
    Spoilt("token: no grant_type", token, "client_id=app", 400, "invalid_request"),
    Spoilt("token: grant_type empty", token, "client_id=app&grant_type=", 400, "invalid_request"),
    Spoilt("token: grant_type twice", token, "\(code)grant_type=x", 400, "invalid_request"),
    Spoilt(
        "token: grant_type unknown",
        token,
        "client_id=app&grant_type=\(long)",
        400,
        "unsupported_grant_type"
    ),
    Spoilt(
        "token: grant_type of another type of client",
        token,
        "client_id=app&grant_type=client_credentials",
        400,
        "unauthorized_client"
    ),
    Spoilt("token: client_id empty", token, "grant_type=x&client_id=", 401, "invalid_client"),
    Spoilt("token: client_id unknown", token, "grant_type=x&client_id=no", 401, "invalid_client"),
    Spoilt(
        "token: client_id too long",
        token,
        "grant_type=x&client_id=\(long)",
        401,
        "invalid_client"
    ),
    Spoilt(
        "token: client_id twice",
        token,
        "grant_type=x&client_id=app&client_id=app",
        400,
        "invalid_request"
    ),
    Spoilt("token: not UTF-8", token, "\(code)code=%FF", 400, "invalid_request"),
    Spoilt(
        "token: not UTF-8 and not escaped",
        token,
        Array("\(code)code=".utf8) + [0xC3, 0x28],
        400,
        "invalid_request"
    ),
    Spoilt("token: NUL", token, "\(code)code=a%00b", 400, "invalid_request"),
    Spoilt("token: a broken escape", token, "\(code)code=%G1", 400, "invalid_request"),
    Spoilt(
        "token: 101 pairs",
        token,
        String(repeating: "a=1&", count: 101),
        400,
        "invalid_request"
    ),
    Spoilt(
        "token: a repeat is told before who asks",
        token,
        "grant_type=x&client_id=no&scope=a&scope=b",
        400,
        "invalid_request"
    ),
    Spoilt(
        "token: device info that is no object",
        token,
        "\(refresh)refresh_token=rt_&x_device_info=W10",
        400,
        "invalid_request"
    ),
    Spoilt("code: absent", token, code, 400, "invalid_request"),
    Spoilt("code: empty", token, "\(code)code=", 400, "invalid_request"),
    Spoilt("code: twice", token, "\(code)code=a&code=a", 400, "invalid_request"),
    Spoilt(
        "code: unknown",
        token,
        "\(code)code=ac_x&code_verifier=\(TokenSide.verifier)",
        400,
        "invalid_grant"
    ),
    Spoilt(
        "code: too long",
        token,
        "\(code)code=\(long)&code_verifier=\(TokenSide.verifier)",
        400,
        "invalid_grant"
    ),
    Spoilt(
        "code: verifier too short",
        token,
        "\(code)code=ac_x&code_verifier=short",
        400,
        "invalid_request"
    ),
    Spoilt(
        "code: verifier too long",
        token,
        "\(code)code=ac_x&code_verifier=\(long)",
        400,
        "invalid_request"
    ),
    Spoilt("refresh_token: absent", token, refresh, 400, "invalid_request"),
    Spoilt("refresh_token: empty", token, "\(refresh)refresh_token=", 400, "invalid_request"),
    Spoilt(
        "refresh_token: twice",
        token,
        "\(refresh)refresh_token=a&refresh_token=b",
        400,
        "invalid_request"
    ),
    Spoilt("refresh_token: short", token, "\(refresh)refresh_token=rt_", 400, "invalid_grant"),
    Spoilt(
        "refresh_token: long",
        token,
        "\(refresh)refresh_token=\(long)",
        400,
        "invalid_grant"
    ),
    Spoilt(
        "refresh_token: of nobody",
        token,
        "\(refresh)refresh_token=rt_\(String(repeating: "A", count: 72))",
        400,
        "invalid_grant"
    ),
    Spoilt(
        "refresh: scope twice",
        token,
        "\(refresh)refresh_token=rt_a&scope=a&scope=a",
        400,
        "invalid_request"
    ),
    Spoilt(
        "client_credentials: scope not allowed",
        token,
        "grant_type=client_credentials&scope=openid",
        400,
        "invalid_scope"
    ),
    Spoilt(
        "client_credentials: scope too long",
        token,
        "grant_type=client_credentials&scope=\(long)",
        400,
        "invalid_request"
    ),
    Spoilt(
        "client_credentials: resource not granted",
        token,
        "grant_type=client_credentials&resource=https://no.example",
        400,
        "invalid_target"
    ),
    Spoilt("revoke: token absent", revoke, "", 400, "invalid_request"),
    Spoilt("revoke: token empty", revoke, "token=", 200, nil),
    Spoilt("revoke: token twice", revoke, "token=a&token=a", 400, "invalid_request"),
    Spoilt("revoke: token too long", revoke, "token=\(long)", 200, nil),
    Spoilt("revoke: token not UTF-8", revoke, "token=%FF", 400, "invalid_request"),
    Spoilt(
        "revoke: hint twice",
        revoke,
        "token=a&token_type_hint=a&token_type_hint=b",
        400,
        "invalid_request"
    ),
    Spoilt("revoke: hint unknown", revoke, "token=a&token_type_hint=\(long)", 200, nil),
    Spoilt("revoke: another client", revoke, "token=a&client_id=no", 401, "invalid_client"),
    Spoilt(
        "revoke: twice, by nobody",
        revoke,
        "token=a&token=a&client_id=no",
        400,
        "invalid_request"
    ),
    Spoilt("introspect: twice, by nobody", introspect, "token=a&token=a", 400, "invalid_request"),
    Spoilt("introspect: nobody asks", introspect, "token=a", 401, "invalid_client"),
    Spoilt(
        "introspect: a public client asks",
        introspect,
        "client_id=app&token=a",
        401,
        "invalid_client"
    ),
    Spoilt(
        "introspect: two secrets",
        introspect,
        "\(web)&client_secret=b&token=a",
        400,
        "invalid_request"
    ),
]

@Suite("Bad input") struct BadInputTests {
    @Test("answers as the contract says and changes nothing", arguments: spoilt)
    private func spoiltForm(_ row: Spoilt) async throws {
        let web = try await WebSide()
        let before = web.commits
        // The client of these rows proves itself by Basic.
        let isConfidential = row.what.hasPrefix("client_credentials")
        let answer = try await web.post(
            row.path,
            bytes: row.body,
            isConfidential ? ["authorization": "Basic YXBpOmEtc2VjcmV0"] : [:]
        )
        #expect(answer.status == row.status, "\(answer.body)")
        #expect(answer.error == row.error)
        #expect(web.commits == before)
        if row.error != nil {
            #expect(answer.field("Content-Type") == ["application/json"])
            #expect(answer.field("Cache-Control") == ["no-store"])
            #expect(answer.field("Pragma") == ["no-cache"])
            #expect(!answer.body.contains(long))
        }
    }

    @Test(
        "another media type, or parameters in the query, are refused on every form route",
        arguments: [token, revoke, introspect]
    )
    func media(_ path: String) async throws {
        let web = try await WebSide()
        for type in ["application/json", "text/plain", "multipart/form-data", ""] {
            let answer = try await web.post(path, "token=a", ["content-type": type])
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_request")
        }
        let query = try await web.send(
            .post,
            "\(path)?token=a",
            headers: ["content-type": WebSide.form],
            body: Array("token=a".utf8)
        )
        #expect(query.error == "invalid_request")
    }

    @Test("Basic and body credentials together are refused") func twoMethods() async throws {
        let web = try await WebSide()
        let answer = try await web.post(
            introspect,
            "token=a&client_secret=a-secret",
            ["authorization": "Basic d2ViOmEtc2VjcmV0"]
        )
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_request")
    }

    @Test("a failed Basic authentication says so to the browser, another does not")
    func challenge() async throws {
        let web = try await WebSide()
        let basic = try await web.post(
            token,
            "grant_type=refresh_token",
            ["authorization": "Basic d2ViOndyb25n"]
        )
        #expect(basic.status == 401)
        #expect(
            basic.field("WWW-Authenticate") == [#"Basic realm="https://auth.example.com""#]
        )
        let form = try await web.post(token, "grant_type=refresh_token&client_id=web")
        #expect(form.status == 401)
        #expect(form.field("WWW-Authenticate").isEmpty)
    }
}
