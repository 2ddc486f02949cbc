import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import Signing
import TestSupport
import WebAPI

/// The browser side of an issuer on a free port, over twins in memory, and a client's site beside
/// it; for as long as a test runs.
final class PageServer: Sendable {
    let side: SignInSide
    /// Where an app would be opened.
    static let appCallback = "com.example.bank://callback"

    let issuer: String
    let site: String
    private let loop: Loop
    private let servers: [HTTPServer]

    init() async throws {
        side = try await SignInSide(digester: RootDigester(.generate()))
        loop = try Loop.running()
        let metrics = Metrics()
        let snapshots = ProjectSnapshots(digester: side.digester, grantTypes: [])
        let api = PublicAPI(
            Routes.signIn(Self.services(side, on: loop, metrics)),
            projects: side.projects,
            snapshots: snapshots,
            intake: Intake(proxies: TrustedProxies(), entropy: side.entropy),
            observer: RequestObserver(metrics: metrics, log: .discarding),
            clock: side.clock
        )
        let handlers: [any RequestHandler] = [api, ClientSite()]
        var origins: [String] = []
        var servers: [HTTPServer] = []
        for (handler, host) in zip(handlers, ["localhost", "127.0.0.1"]) {
            let server = HTTPServer(
                ServerSettings(name: host, addresses: [.loopback(port: 0)]),
                handler: handler,
                loops: [loop],
                log: .discarding,
                metrics: metrics
            )
            let port = try Fixture.some(server.start().first?.port)
            origins.append("http://\(host):\(port)")
            servers.append(server)
        }
        (issuer, site) = (origins[0], origins[1])
        self.servers = servers
        try Self.configure(side, issuer, site)
    }

    private static func configure(_ side: SignInSide, _ issuer: String, _ site: String) throws {
        let callback = try Fixture.some(RedirectURI("\(site)/callback"))
        let bye = try Fixture.some(RedirectURI("\(site)/bye"))
        let moved = try Fixture.some(RedirectURI("\(site)\(ClientSite.moved)"))
        let app = try Fixture.some(RedirectURI(appCallback))
        side.reconfigure { settings in
            settings.publicOrigin = issuer
            settings.hosts = ["localhost"]
            for index in settings.clients.indices {
                settings.clients[index].redirectURIs = [callback, moved, app]
                settings.clients[index].postLogoutRedirectURIs = [bye, moved]
                settings.clients[index].name = names[settings.clients[index].id.text] ?? "App"
            }
        }
    }

    private static let names = [
        "web": "Example Offers", "app": "Example Bank", "third": "Budget Planner",
        "confirming": "Example Invest", "denying": "Example Vault",
    ]

    private static func services(_ side: SignInSide, on loop: Loop, _ metrics: Metrics)
        -> SignInServices
    {
        let mails = side.mails
        let links = RequestLoginLink(
            side.context,
            budget: MailBudget(
                windows: side.windows,
                digester: side.digester,
                limits: MailLimits().multiplied(by: 100)
            ),
            mailQueue: side.mailQueue,
            mailIsDue: {
                loop.spawn { _ = try? await mails.run(by: Fixture.noDeadline) }
            }
        )
        return SignInServices(
            context: side.context,
            signer: side.signer,
            links: links,
            hints: SlowHints(loop: loop),
            pause: LoopPause(loop: loop),
            limits: RequestLimits(isForDevelopment: true, metrics: metrics)
        )
    }

    /// The authorization endpoint with the parameters of a good request.
    func authorizeURL(_ client: String = "web", _ changes: [String: String?] = [:]) -> String {
        var parameters = TestBrowser.parameters(client)
        parameters["redirect_uri"] = "\(site)/callback"
        for (name, value) in changes { parameters[name] = value }
        let query = parameters.map { name, value in
            "\(name)=\(String(decoding: PercentEncoding.encode(value.utf8), as: UTF8.self))"
        }
        return "\(issuer)/oauth2/authorize?\(query.joined(separator: "&"))"
    }

    /// The link of the newest mail, once it is there.
    func link(after count: Int = 0) async throws -> String {
        try await Waiting.until("a mail") { side.mailQueue.sent.count > count }
        return try Fixture.some(side.mailQueue.sent.last).link
    }

    func stop() async {
        for server in servers { await server.drain() }
        loop.end()
    }
}

/// Where a client's redirect ends: a page that says so.
struct ClientSite: RequestHandler {
    /// Leads on to the same path's answer at another origin, as an API's callback does to its page.
    static let moved = "/moved"

    func admit(_ head: RequestHead, from peer: Peer) -> Admission {
        .accept(
            Admission.Terms(bodyBytesMax: 16_384, handlerTime: .seconds(5), slots: .usual)
        )
    }

    func respond(to request: HTTPServer::Request) async -> HTTPServer::Response {
        let host = String(decoding: request.head.fields.only("host") ?? [], as: UTF8.self)
        if request.head.path == Self.moved, let port = host.split(separator: ":").last {
            let query = String(decoding: request.head.query ?? [], as: UTF8.self)
            var response = HTTPServer::Response(.seeOther, contentType: "text/html")
            response.add("Location", "http://localhost:\(port)/arrived?\(query)")
            return response
        }
        let body = String(decoding: request.body, as: UTF8.self)
        let escaped = body.split(separator: "&").joined(separator: "&amp;")
        let page =
            "<!DOCTYPE html><html lang=en><title>Client</title><link rel=icon href=data:,>"
            + "<main data-client=yes><h1>Back at the client</h1><p id=posted>\(escaped)</p></main>"
        return HTTPServer::Response(
            .ok,
            contentType: "text/html; charset=utf-8",
            body: Array(page.utf8)
        )
    }
}

/// Waits on the loop.
struct LoopPause: Pause {
    let loop: Loop

    func wait(milliseconds: Int) async {
        await loop.waitOut(until: .now().advanced(by: .milliseconds(milliseconds)))
    }

    func deadline(inMilliseconds milliseconds: Int) -> Deadline {
        Deadline(
            nanoseconds: MonotonicInstant.now().advanced(by: .milliseconds(milliseconds))
                .nanoseconds
        )
    }
}

/// No hints at all: who listens looks again every 100 ms.
struct SlowHints: StreamHints, StreamListener {
    let loop: Loop

    func listen(to streams: [StreamID]) -> (any StreamListener)? { self }

    func wait(milliseconds: Int) async -> Bool {
        await LoopPause(loop: loop).wait(milliseconds: min(milliseconds, 100))
        return true
    }

    func cancel() {}
}
