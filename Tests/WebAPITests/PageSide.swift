import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import Signing
import TestSupport
import WebAPI

/// The public listener's pages over twins in memory, and one browser with its cookies.
struct PageSide: Sendable {
    static let origin = "https://auth.example.com"

    let side: SignInSide
    let api: PublicAPI
    var cookies: [String: String] = [:]
    /// Where a proxy says that the browser is.
    var place: PlaceName?

    init(limits rates: [RequestLimit: RequestLimit.Rate] = [:]) async throws {
        let side = try await SignInSide()
        let metrics = Metrics()
        self.side = side
        let services = SignInServices(
            context: side.context,
            signer: side.signer,
            links: side.links,
            hints: InMemoryStreamHints(),
            pause: side.clock,
            limits: RequestLimits(rates, metrics: metrics, by: side.clock),
            proofs: DPoPProofs(
                reader: PhoneJWTReader(),
                digester: side.digester,
                clock: side.clock
            )
        )
        api = PublicAPI(
            Routes.signIn(services),
            projects: side.projects,
            snapshots: ProjectSnapshots(digester: side.digester, grantTypes: []),
            intake: Intake(proxies: TrustedProxies(), entropy: side.entropy),
            observer: RequestObserver(metrics: metrics, log: .discarding),
            clock: side.clock
        )
    }

    mutating func send(
        _ method: WebAPI.Method,
        _ target: String,
        _ headers: [(name: String, value: String)] = [],
        body: String = ""
    ) async -> Answer {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        var headers = headers
        if !cookies.isEmpty {
            let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            headers.append(("cookie", pairs.joined(separator: "; ")))
        }
        let request = WebAPI.Request(
            method: method,
            path: parts[0],
            query: parts.count > 1 ? Array(parts[1].utf8) : [],
            host: "auth.example.com",
            headers: RequestHeaders(Fields(headers)),
            body: Array(body.utf8),
            client: ClientAddress(.loopback(port: 1)),
            place: place,
            id: RequestID(StreamID(high: 1, low: 2)),
            deadline: Fixture.noDeadline
        )
        let response = await api.respond(to: request)
        for cookie in response.values(of: "set-cookie") {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            cookies[String(pair[0])] = pair.count > 1 ? String(pair[1]) : nil
        }
        return Answer(
            status: response.status.rawValue,
            body: String(decoding: response.body, as: UTF8.self),
            field: response.values
        )
    }

    mutating func get(_ target: String, _ headers: [(name: String, value: String)] = [])
        async -> Answer
    {
        await send(.get, target, headers)
    }

    /// Posts a form as a page of ours does.
    mutating func post(
        _ path: String,
        _ form: String,
        _ headers: [(name: String, value: String)] = [("origin", origin)]
    ) async -> Answer {
        await send(.post, path, headers + [("content-type", WebSide.form)], body: form)
    }

    static func authorizeTarget(_ client: String = "web", _ changes: [String: String?] = [:])
        -> String
    {
        "/oauth2/authorize?\(query(client, changes))"
    }

    static func query(_ client: String = "web", _ changes: [String: String?] = [:]) -> String {
        var parameters = TestBrowser.parameters(client)
        for (name, value) in changes { parameters[name] = value }
        return parameters.sorted { $0.key < $1.key }
            .map { name, value in
                "\(name)=\(String(decoding: PercentEncoding.encode(value.utf8), as: UTF8.self))"
            }
            .joined(separator: "&")
    }

    /// Opens the login page; its path with `tx`, and the fields of its first form.
    mutating func openLogin(_ client: String = "web", _ changes: [String: String?] = [:])
        async throws -> (page: Answer, fields: String)
    {
        let start = await get(Self.authorizeTarget(client, changes))
        let page = await get(try Fixture.some(start.field("location").first))
        return (page, page.fields)
    }

    /// Asks for a mail and gives back the waiting page and the link of the mail.
    mutating func askForMail(_ client: String = "web", _ changes: [String: String?] = [:])
        async throws -> (page: Answer, link: String)
    {
        let login = try await openLogin(client, changes)
        let sent = await post("/login", "\(login.fields)&email=ada%40example.com")
        let page = await get(try Fixture.some(sent.field("location").first))
        _ = try await side.mails.run(by: Fixture.noDeadline)
        let link = try Fixture.some(side.mailQueue.sent.last).link
        return (page, String(link.dropFirst(Self.origin.count)))
    }

    /// A browser of its own, as on a phone, and the page that it is shown for a link.
    func elsewhere(opening link: String) async throws -> (browser: PageSide, page: Answer) {
        var browser = self
        browser.cookies = [:]
        let opened = await browser.get(link)
        return (browser, await browser.get(try Fixture.some(opened.location)))
    }

    /// What the page says that a button behind a link leads to; nil where it leads elsewhere.
    mutating func outcome(of pressed: Answer) async -> String? {
        let way = pressed.location ?? ""
        guard way.hasPrefix("/flows/verify_login_link?result=") else { return nil }
        return await get(way).attribute("data-result")
    }

    /// From the form to the end, by the mail.
    mutating func signIn(_ changes: [String: String?] = [:]) async throws {
        let (page, link) = try await askForMail("web", changes)
        _ = await send(.post, link)
        _ = await post("/login/complete", page.fields)
    }

    /// The user who logged in first.
    func user() throws -> SubjectID {
        let appends = side.store.commits.flatMap(\.streams)
        return SubjectID(try Fixture.some(appends.first { $0.kind == .subject }).stream)
    }
}

extension Answer {
    var location: String? { field("location").first }

    /// The code of an error page.
    var pageError: String? { attribute("data-error") }

    func attribute(_ name: String) -> String? {
        let parts = body.split(separator: "\(name)=\"", maxSplits: 1)
        return parts.count > 1 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }

    /// `tx` and `form_token` of the first form, ready to be posted.
    var fields: String {
        ["tx", "form_token", "token"].compactMap { name in
            let parts = body.split(separator: "name=\"\(name)\" value=\"", maxSplits: 1)
            return parts.count > 1 ? "\(name)=\(parts[1].prefix { $0 != "\"" })" : nil
        }
        .joined(separator: "&")
    }
}
