import Domain
import HTTPServer
import InMemory
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

/// A request to a page that must be refused before anything is looked up.
private struct SpoiltPage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let method: WebAPI.Method
    let target: String
    let form: String
    let status: Int

    init(
        _ what: String,
        _ method: WebAPI.Method,
        _ target: String,
        _ form: String = "",
        status: Int = 400
    ) {
        testDescription = what
        self.method = method
        self.target = target
        self.form = form
        self.status = status
    }
}

private let tx = "tx=AAAAAAAAAAAAAAAAAAAAAA"
private let link = "/flows/verify_login_link"
private let scopes51 = (0..<51).map { "s\($0)" }.joined(separator: "%20")
private let scope129 = String(repeating: "a", count: 129)

private let spoiltPages: [SpoiltPage] = [
    SpoiltPage("tx twice on the form", .get, "/login?\(tx)&\(tx)"),
    SpoiltPage("tx twice on the waiting page", .get, "/login/wait?\(tx)&\(tx)"),
    SpoiltPage("tx twice on the status channel", .get, "/login/status?\(tx)&\(tx)"),
    SpoiltPage("tx twice on the continue page", .get, "/continue?\(tx)&\(tx)"),
    SpoiltPage("tx twice on the consent page", .get, "/consent?\(tx)&\(tx)"),
    SpoiltPage("tx twice in a posted form", .post, "/login", "\(tx)&\(tx)&email=a%40b.example"),
    SpoiltPage("email twice", .post, "/login", "\(tx)&email=a%40b.example&email=c%40d.example"),
    SpoiltPage("form_token twice", .post, "/login/complete", "\(tx)&form_token=a&form_token=a"),
    SpoiltPage("action twice", .post, "/consent", "\(tx)&action=allow&action=deny"),
    SpoiltPage("token twice on the link's page", .get, "\(link)?client=web&token=a&token=a"),
    SpoiltPage("token twice in its form", .post, link, "token=a&token=b&action=approve"),
    SpoiltPage("number twice in its form", .post, link, "token=a&number=10&number=20"),
    SpoiltPage("client twice", .get, "\(link)?client=web&client=web&token=a"),
    SpoiltPage("a result nobody answered with", .get, "\(link)?result=anything"),
    SpoiltPage("token twice on the universal link", .get, "/clients/web\(link)?token=a&token=b"),
    SpoiltPage("token twice at an app's approval", .post, "/clients/web\(link)?token=a&token=b"),
    SpoiltPage("wait twice", .get, "/login/status?\(tx)&wait=1&wait=2"),
    SpoiltPage("reference twice at logout", .get, "/logout?reference=a&reference=a"),
    SpoiltPage(
        "reference twice at authorize",
        .get,
        "/oauth2/authorize?x_reference=a&x_reference=b"
    ),
    SpoiltPage("client_id twice, posted", .post, "/oauth2/authorize", "client_id=a&client_id=a"),
    SpoiltPage("state twice at logout", .get, "/oauth2/end_session?state=a&state=b"),
    SpoiltPage("a query on a posted form", .post, "/login?\(tx)", "email=a%40b.example"),
    SpoiltPage("51 scopes", .get, PageSide.authorizeTarget() + "&scope=\(scopes51)"),
]

@Suite("Bad input at the pages") struct PageInputTests {
    @Test("is refused in the form of the route and changes nothing", arguments: spoiltPages)
    private func spoilt(_ row: SpoiltPage) async throws {
        var side = try await PageSide()
        let isNative = row.target.hasPrefix("/clients") && row.method == .post
        var headers: [(name: String, value: String)] = isNative ? [] : [SignInPageTests.origin]
        if row.method == .post, !isNative { headers.append(("content-type", WebSide.form)) }
        let before = side.side.store.commits.count
        let answer = await side.send(row.method, row.target, headers, body: row.form)
        #expect(answer.status == row.status, "\(answer.body)")
        #expect(answer.location == nil)
        let isEnvelope = isNative || row.target.hasPrefix("/login/status")
        if isEnvelope {
            #expect(answer["error"]?["reason"]?.string == "BadRequest")
        } else {
            #expect(answer.pageError == "invalid_request")
        }
        #expect(side.side.store.commits.count == before)
    }

    static let longScopes = [scopes51, "openid%20\(scope129)"]

    @Test("a scope past its size is told on a page, never by redirect", arguments: longScopes)
    func longScope(_ scope: String) async throws {
        var side = try await PageSide()
        let parameters = PageSide.query("web", ["scope": nil])
        let answer = await side.get("/oauth2/authorize?\(parameters)&scope=\(scope)")
        #expect(answer.status == 400 && answer.pageError == "invalid_request")
        let fitting = (0..<50).map { "s\($0)" }.joined(separator: "%20")
        let unknown = await side.get("/oauth2/authorize?\(parameters)&scope=\(fitting)")
        #expect(unknown.status == 303 && unknown.location?.contains("invalid_scope") == true)
    }

    @Test("an app's token in query and form is two tokens, whatever they are") func twoTokens()
        async throws
    {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail()
        let token = try #require(link.split(separator: "?").last.map(String.init))
        let before = side.side.store.commits.count
        for form in [token, "token=ll_x"] {
            let answer = await side.post(link, form, [])
            #expect(answer.status == 400)
            #expect(answer["error"]?["reason"]?.string == "BadRequest")
        }
        #expect(side.side.store.commits.count == before)
    }

    @Test("who refuses a link that was approved before hears that it was") func lateDenial()
        async throws
    {
        var side = try await PageSide()
        let (waiting, link) = try await side.askForMail()
        let target = try #require(await side.get(link).location)
        let page = await side.get(target)
        #expect(await side.send(.post, link).status == 200)
        let before = side.side.store.commits.count
        let late = await side.post("/flows/verify_login_link", "\(page.fields)&action=deny")
        #expect(late.status == 400 && late.body.contains("approved before"))
        #expect(side.side.store.commits.count == before)
        let status = await side.get(try #require(waiting.statusTarget))
        #expect(status["result"]?["status"]?.string == "approved")
    }

    @Test("a body too large for a form is refused with a page, unread") func tooLarge() async throws
    {
        let side = try await PageSide()
        let head = RequestHead(
            .post,
            "/login",
            host: "auth.example.com",
            contentLength: 64 * 1024 + 1
        )
        guard case .refuse(let response) = side.api.admit(head, from: Peer(.loopback(port: 1)))
        else {
            return #expect(Bool(false), "admitted")
        }
        #expect(response.status == .contentTooLarge)
        let body = String(decoding: response.body, as: UTF8.self)
        #expect(body.contains("data-error=\"invalid_request\""))
    }
}
