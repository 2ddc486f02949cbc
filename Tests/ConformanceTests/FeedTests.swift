import Crypto
import Foundation
import TestSupport
import Testing

/// The revocation feed as a service meets it, on a socket (WireContract 12.1).
@Suite("The revocation feed on a socket", .timeLimit(.minutes(4))) struct FeedTests {
    /// A question that is refused.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let query: String
    }

    static let refusals = [
        Refusal(testDescription: "FD-001: a cursor that nobody gave out", query: "after=abc"),
        Refusal(testDescription: "FD-003: a limit of nothing", query: "limit=0"),
        Refusal(testDescription: "FD-003: a limit above the greatest", query: "limit=1001"),
        Refusal(testDescription: "FD-003: a limit that is no number", query: "limit=5x"),
        Refusal(testDescription: "FD-003: a wait above the greatest", query: "wait=26"),
        Refusal(testDescription: "limit twice", query: "limit=5&limit=5"),
        Refusal(testDescription: "a query that is not UTF-8", query: "after=%FF"),
    ]

    @Test("what is not valid is refused at once, in the form of the endpoint", arguments: refusals)
    func refuses(_ refusal: Refusal) async throws {
        let reader = try await FeedReader(try RunningStack.running())
        let answer = try await reader.get("\(refusal.query)")
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.member("error") == "invalid_request")
        #expect(answer["content-type"]?.hasPrefix("application/json") == true)
        #expect(answer["cache-control"] == "no-store")
    }

    @Test("FD-001, FD-002: a cursor altered is refused, one of another log has to start again")
    func cursors() async throws {
        let reader = try await FeedReader(try RunningStack.running())
        let cursor = try await reader.end()
        let last = cursor.hasSuffix("A") ? "B" : "A"
        let altered = try await reader.get("after=\(cursor.dropLast(2))\(last)\(last)")
        #expect(altered.status == 400 && altered.member("error") == "invalid_request")
        let other = try await reader.get("after=\(try Self.ofAnotherLog(cursor))&wait=25")
        #expect(other.status == 409 && other.member("error") == "conflict", "\(other.text)")
        #expect(try await reader.get("after=\(cursor)").status == 200)
    }

    @Test("nobody reads without a token of its scope") func tokens() async throws {
        let reader = try await FeedReader(try RunningStack.running())
        var browser = Browser(reader.origin)
        let named = [("Host", reader.host)]
        let none = try await browser.send("GET", "/revocations", headers: named)
        #expect(none.status == 401 && none["www-authenticate"] == "Bearer")
        let wrong = try await browser.send(
            "GET",
            "/revocations",
            headers: named + [("Authorization", "Bearer \(reader.token)x")]
        )
        #expect(wrong.status == 401)
        #expect(wrong["www-authenticate"] == "Bearer error=\"invalid_token\"")
        let post = try await browser.send("POST", "/revocations", headers: named)
        #expect(
            post.status == 405 && post["allow"] == "GET, HEAD, OPTIONS",
            "\(post["allow"] ?? "")"
        )
    }

    @Test("a reader that waits hears of a revocation when it happens") func wakes() async throws {
        let stack = try RunningStack.running()
        let projector = try await Self.projector(stack, "feed-wakes")
        defer { Self.end(projector) }
        let reader = try await FeedReader(stack, at: projector.origin)
        let session = try await Session(stack)
        var cursor = try await reader.end()
        let waiting = Task {
            // Other tests end sessions, too.
            while true {
                let answer = try await reader.get("after=\(cursor)&wait=25")
                guard answer.status == 200 else { return answer }
                if try FeedReader.sessions(in: answer).contains(session.id) { return answer }
                cursor = answer.member("next") ?? cursor
            }
        }
        try await Self.until(1, wait: "a reader waits", projector)
        let asked = ContinuousClock.now
        try await session.revoke()
        let answer = try await waiting.value
        #expect(answer.status == 200, "\(answer.text)")
        // Far below the 25 s a reader waits when nothing comes.
        #expect(ContinuousClock.now - asked < .seconds(22))
    }

    @Test("a reader that waits while nobody ends anything soon hears how far it is complete")
    func claims() async throws {
        // Other tests end sessions of the demo, which ends a wait, too.
        let reader = try await FeedReader(of: try await TestProject.named("quiet"))
        try await Waiting.until("it knows how far it is complete") {
            try FeedReader.completeThrough(in: try await reader.get("limit=1")) != nil
        }
        let before = try await reader.get("limit=1")
        let known = try #require(try FeedReader.completeThrough(in: before))
        let cursor = try #require(before.member("next"))
        let asked = ContinuousClock.now
        let answer = try await reader.get("after=\(cursor)&wait=25")
        // Far below the 25 s that it would wait for an item.
        #expect(ContinuousClock.now - asked < .seconds(20))
        #expect(try FeedReader.sessions(in: answer).isEmpty)
        let told = try #require(try FeedReader.completeThrough(in: answer), "\(answer.text)")
        #expect(told > known)
    }

    @Test("two hundred readers wait, and one revocation reaches them all") func crowd()
        async throws
    {
        let stack = try RunningStack.running()
        let projector = try await Self.projector(stack, "feed-crowd")
        defer { Self.end(projector) }
        let reader = try await FeedReader(stack, at: projector.origin)
        let session = try await Session(stack)
        let begin = try await reader.end()
        let answers = try await withThrowingTaskGroup(of: WireAnswer.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    var cursor = begin
                    while true {
                        let answer = try await reader.get("after=\(cursor)&wait=25")
                        guard answer.status == 200 else { return answer }
                        if try FeedReader.sessions(in: answer).contains(session.id) {
                            return answer
                        }
                        cursor = answer.member("next") ?? cursor
                    }
                }
            }
            try await Self.until(200, wait: "two hundred readers wait", projector)
            try await session.revoke()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 200)
        for answer in answers { #expect(answer.status == 200, "\(answer.text)") }
    }

    @Test("a page holds what was asked for, and the next one goes on behind it")
    func pages() async throws {
        let stack = try RunningStack.running()
        let reader = try await FeedReader(stack)
        var wanted: Set<String> = []
        let begin = try await reader.end()
        for _ in 0..<2 {
            let session = try await Session(stack)
            try await session.revoke()
            wanted.insert(session.id)
        }
        var query = "limit=1&after=\(begin)"
        let limit = ContinuousClock.now + .seconds(90)
        while !wanted.isEmpty {
            try #require(ContinuousClock.now < limit)
            let answer = try await reader.get("\(query)&wait=5")
            let found = try FeedReader.sessions(in: answer)
            #expect(found.count <= 1)
            wanted.subtract(found)
            query = "limit=1&after=\(try #require(answer.member("next")))"
        }
    }

    /// A projector that nobody else asks: whoever waits there is ours.
    private static func projector(_ stack: RunningStack, _ name: String) async throws
        -> IssuerProcess
    {
        try await IssuerProcess(
            "revocation-projector",
            beside: stack,
            named: name,
            ["CHANCERY__NODE__SHUTDOWN_NOTICE_SECONDS": "0"]
        )
    }

    private static func end(_ projector: IssuerProcess) {
        projector.signal(SIGTERM)
        #expect(projector.end() == 0)
    }

    private static func until(_ count: Int, wait what: String, _ projector: IssuerProcess)
        async throws
    {
        let admin = Browser(projector.adminOrigin)
        try await Waiting.until(what) {
            try await admin.gauge("chancery_http_held{listener=\"public\"}") >= count
        }
    }

    /// The cursor, as if the installation had been made anew.
    private static func ofAnotherLog(_ cursor: String) throws -> String {
        var text = cursor.replacing("-", with: "+").replacing("_", with: "/")
        while !text.count.isMultiple(of: 4) { text += "=" }
        var place = Array(try #require(Data(base64Encoded: text)).prefix(32))
        // A random byte of the log's id, not its version.
        place[15] ^= 1
        let digest = SHA256.hash(Array("chancery-feed-cursor-1".utf8) + place).prefix(8)
        return Data(place + digest).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

/// A session of the demo's app, with the refresh token that ends it.
private struct Session: Sendable {
    let id: String
    private let refreshToken: String
    private let issuer: String

    init(_ stack: RunningStack) async throws {
        issuer = stack.issuer
        var browser = Browser(stack.issuer)
        let random = UUID().uuidString.prefix(12).lowercased()
        let code = try await SignIn(
            mailPage: stack.facts["MAIL_PAGE"] ?? "",
            client: "app",
            scope: "openid offline_access",
            email: "feed-\(random)@example.com"
        ).code(&browser)
        let answer = try await browser.send(
            "POST",
            "/oauth2/token",
            body: SignIn.form([
                ("grant_type", "authorization_code"), ("client_id", "app"), ("code", code),
                ("code_verifier", SignIn.verifier),
                ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
            ])
        )
        guard let refreshToken = answer.member("refresh_token"),
            let id = answer.claim("sid", of: "access_token")
        else { throw SignIn.Failed(description: "no session: \(answer.text)") }
        self.refreshToken = refreshToken
        self.id = id
    }

    func revoke() async throws {
        var browser = Browser(issuer)
        let answer = try await browser.send(
            "POST",
            "/oauth2/revoke",
            body: SignIn.form([("client_id", "app"), ("token", refreshToken)])
        )
        guard answer.status == 200 else {
            throw SignIn.Failed(description: "/oauth2/revoke answered \(answer.status)")
        }
    }
}
