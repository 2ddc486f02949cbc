import Domain
import TestSupport
import Testing

@Suite("Authorization") struct AuthorizationTests {
    static let request = asked()
    static let browser = Sample.digest(1)
    static let stranger = Sample.digest(9)
    static let link = Sample.stream(5)
    static let code = Sample.stream(6)
    static let login = Authorization.Login(
        subject: Sample.subject(2),
        browserSession: Sample.session(3),
        via: .loginLink,
        authentication: Authentication(methods: [.otp], at: Sample.time(60))
    )
    static let reference = Sample.digest(4)
    static let pushed = [Authorization.Event.pushed(inAMinute, secret: reference)]
    static let started = [Authorization.Event.started(request, browser: browser)]
    static let waiting = started + [.loginRequested(link)]
    static let authenticated = waiting + [.authenticated(login)]
    static let completion = Authorization.Event.completed(code: code, scope: request.scope)
    static let completed = authenticated + [completion]
    static let failed = started + [.failed(.accessDenied)]
    static let inTime = Sample.time(1799)
    static let tooLate = Sample.time(1800)

    static func asked(expecting subject: SubjectID? = nil) -> AuthorizationRequest {
        AuthorizationRequest(
            client: Sample.client("app"),
            redirectURI: Sample.redirectURI("com.example.app:/cb"),
            redirectURIGiven: true,
            responseType: .code,
            responseMode: .query,
            scope: Sample.scope("openid email"),
            expectedSubject: subject,
            startedAt: Sample.time(0),
            expiresAt: Sample.time(1800)
        )
    }

    /// As a client sends it ahead: its time is that of the reference.
    static var inAMinute: AuthorizationRequest {
        var request = request
        request.expiresAt = Sample.time(60)
        return request
    }

    static func take(_ secret: TokenDigest = reference, at: Instant = Sample.time(59))
        -> Authorization.Command
    {
        .take(request, secret: secret, browser: browser, at: at)
    }

    static func complete(
        _ scope: Scope = request.scope,
        browser: TokenDigest = browser,
        at: Instant = inTime
    ) -> Authorization.Command {
        .complete(code: code, scope: scope, browser: browser, at: at)
    }

    static func authenticate(
        _ login: Authorization.Login = login,
        browser: TokenDigest = browser,
        at: Instant = inTime
    ) -> Authorization.Command {
        .authenticate(login, browser: browser, at: at)
    }

    @Test("is sent ahead", arguments: sentAhead)
    func isSentAhead(_ row: Scenario<Authorization>) { row.check() }

    @Test("starts and asks for a login", arguments: starting)
    func starts(_ row: Scenario<Authorization>) { row.check() }

    @Test("logs in", arguments: loggingIn)
    func logsIn(_ row: Scenario<Authorization>) { row.check() }

    @Test("completes", arguments: completing)
    func completes(_ row: Scenario<Authorization>) { row.check() }

    @Test("fails", arguments: failing)
    func fails(_ row: Scenario<Authorization>) { row.check() }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<Authorization>([
            "pushed": Self.pushed[0], "started": Self.started[0],
            "login requested": .loginRequested(Self.link),
            "authenticated": .authenticated(Self.login), "completed": Self.completion,
            "failed": .failed(.accessDenied),
        ])
        pairs.after("absent", [], may: ["pushed", "started"])
        pairs.after("pushed", Self.pushed, may: ["started"])
        pairs.after(
            "started",
            Self.started,
            may: ["login requested", "authenticated", "failed"]
        )
        pairs.after("authenticated", Self.authenticated, may: ["completed", "failed"])
        pairs.after("completed", Self.completed, may: [])
        pairs.after("failed", Self.failed, may: [])
        pairs.check()
    }

    @Test("remembers the newest login link") func newestLink() {
        let newer = Sample.stream(55)
        let state = Authorization.fold(Self.waiting + [.loginRequested(newer)])
        guard case .started(let started) = state else {
            Issue.record("not started: \(String(describing: state))")
            return
        }
        #expect(started.loginLink == newer)
    }

    @Test("remembers how it ended, for a browser that did not hear of it") func ending() {
        let started = Authorization.Started(
            request: Self.request,
            browser: Self.browser,
            loginLink: Self.link
        )
        let completed = Authorization.State.completed(started, Self.login, code: Self.code)
        #expect(Authorization.fold(Self.completed) == completed)
        let refused = Authorization.fold(Self.authenticated + [.failed(.invalidScope)])
        #expect(refused == .failed(started, .invalidScope))
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(Authorization.unwrap(Authorization.wrap(Self.completion)) == Self.completion)
        #expect(Authorization.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}
