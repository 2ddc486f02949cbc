import OAuth
import Runtime

// @unchecked: touched on `loop` alone.
/// The main job as a program does it: sign-in, refresh, revocation, and the events of it all.
final class Walk: @unchecked Sendable {
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let redirectURI = "com.example.demo:/callback"
    static let scope =
        "openid offline_access email device_sso https://authgear.com/scopes/full-access "
        + "https://authgear.com/scopes/pre-authenticated-url"

    struct Tokens: Sendable {
        var access: String
        var refresh: String
        var identity: String
        /// Empty without the scope `device_sso`.
        var deviceSecret: String
    }

    let facts: DevEnvironment
    let settings: OperatorSettings
    let loop: Loop
    let email: String
    /// The browser that signs in, and the app that called it.
    var browser: WalkBrowser
    var app: WalkBrowser
    /// Links that were approved.
    var usedLinks: Set<String> = []
    private var stepCount = 0
    private let begin = MonotonicInstant.now()

    init(_ facts: DevEnvironment, _ settings: OperatorSettings, on loop: Loop) {
        self.facts = facts
        self.settings = settings
        self.loop = loop
        let issuer = facts["ISSUER"] ?? ""
        browser = WalkBrowser(issuer, on: loop)
        app = WalkBrowser(issuer, on: loop)
        let random = Wiring.randomBytes(6).map { String($0, radix: 16) }.joined()
        email = "walk-\(random)@example.com"
    }

    /// Walks; one line a step.
    ///
    /// - Throws: at the first step that does not hold.
    func run() async throws(CommandFailure) {
        try await discover()
        let code = try await signIn()
        let phone = try WalkPhone()
        let tokens = try await redeem(code, with: phone)
        try await use(tokens)
        try await identify(tokens)
        try await letIn(phone, tokens)
        try await followHostedLink()
        try await share(tokens)
        try await shareBound(tokens)
        try await openWebPage(tokens)
        try await openSettings(tokens)
        try await push()
        try await touch(tokens)
        try await lookAround(tokens)
        try await logInAgain(tokens)
        let last = try await refresh(tokens)
        let session = try await introspect(tokens.access)
        try await revoke(last, tokens)
        if let url = facts["REVOCATIONS_URL"] { try await seeRevocation(of: session, at: url) }
        try await followEvents(of: session)
        let milliseconds = Self.milliseconds(since: begin)
        Terminal.say("All \(stepCount) steps held, in \(milliseconds) ms.")
    }

    func discover() async throws(CommandFailure) {
        let issuer = facts["ISSUER"] ?? ""
        let path = "/.well-known/openid-configuration"
        var answer = try await step("GET \(path)") { () async throws(CommandFailure) in
            let answer = try await app.get(path)
            let named = answer.json?["issuer"]?.string ?? "nobody"
            try Self.require(answer.status == 200 && named == issuer, answer)
            return ("issuer \(named)", answer)
        }
        answer = try await step("GET /oauth2/jwks") { () async throws(CommandFailure) in
            let answer = try await app.get("/oauth2/jwks")
            guard case .array(let keys) = answer.json?["keys"] else { throw Self.failure(answer) }
            return ("\(keys.count) keys", answer)
        }
        _ = answer
    }

    func redirected(
        _ name: String,
        to expected: String,
        _ body: (inout WalkBrowser) async throws(CommandFailure) -> HTTPAnswer
    ) async throws(CommandFailure) -> String {
        try await step(name) { () async throws(CommandFailure) in
            let answer = try await body(&browser)
            guard 302...303 ~= answer.status, let location = answer["location"],
                location.contains(expected)
            else { throw Self.failure(answer) }
            return ("\(answer.status) to \(expected)", location)
        }
    }

    func page(_ target: String, _ name: String) async throws(CommandFailure)
        -> WalkPage
    {
        try await step("GET \(name)") { () async throws(CommandFailure) in
            let answer = try await browser.get(target)
            try Self.require(answer.status == 200, answer)
            return ("a page of \(answer.body.count) bytes", WalkPage(html: answer.text))
        }
    }

    static func formFields(_ page: WalkPage) throws(CommandFailure)
        -> [(name: String, value: String)]
    {
        guard let tx = page.field("tx"), let token = page.field("form_token") else {
            throw CommandFailure("the page has no form with tx and form_token")
        }
        return [("tx", tx), ("form_token", token)]
    }

    static func from(_ browser: WalkBrowser) -> [(name: String, value: String)] {
        [("Origin", browser.origin)]
    }

    static func bearer(_ tokens: Tokens) -> (name: String, value: String) {
        ("Authorization", "Bearer \(tokens.access)")
    }

    static func basic(_ credentials: String) -> (name: String, value: String) {
        ("Authorization", "Basic \(HTTPRequest.base64(credentials))")
    }

    static func require(_ holds: Bool, _ answer: HTTPAnswer) throws(CommandFailure) {
        guard holds else { throw failure(answer) }
    }

    static func failure(_ answer: HTTPAnswer) -> CommandFailure {
        let location = answer["location"].map { " to \($0)" } ?? ""
        return CommandFailure("answered \(answer.status)\(location): \(answer.text.prefix(300))")
    }

    /// One step: tells what was asked, what came back and how long it took.
    func step<Answer>(
        _ asked: String,
        _ body: () async throws(CommandFailure) -> (told: String, answer: Answer)
    ) async throws(CommandFailure) -> Answer {
        let begin = MonotonicInstant.now()
        stepCount += 1
        let number = stepCount < 10 ? " \(stepCount)" : "\(stepCount)"
        do throws(CommandFailure) {
            let (told, answer) = try await body()
            let time = "\(Self.milliseconds(since: begin)) ms"
            Terminal.say("\(number) ✔ \(Table.padded(asked, 52)) \(Table.padded(told, 48)) \(time)")
            return answer
        } catch {
            Terminal.say("\(number) ✘ \(asked)")
            throw error
        }
    }

    private static func milliseconds(since begin: MonotonicInstant) -> UInt64 {
        (MonotonicInstant.now().nanoseconds - begin.nanoseconds) / 1_000_000
    }
}
