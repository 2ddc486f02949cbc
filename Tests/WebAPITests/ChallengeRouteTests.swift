import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

@Suite("Challenges over HTTP") struct ChallengeRouteTests {
    private static let json: KeyValuePairs = ["content-type": "application/json"]

    private func ask(_ body: String, of web: WebSide) async throws -> Answer {
        try await web.post("/oauth2/challenge", body, Self.json)
    }

    @Test(
        "each purpose gets a token and its end",
        arguments: ["app2app_request", "biometric_request"]
    )
    func issues(_ purpose: String) async throws {
        let web = try await WebSide()
        let answer = try await ask(#"{"purpose":"\#(purpose)"}"#, of: web)
        #expect(answer.status == 200)
        #expect(answer.field("Cache-Control") == ["no-store"])
        let result = try #require(answer["result"])
        let token = try #require(result["token"]?.string)
        #expect(token.hasPrefix("ch_") && token.utf8.count == 67)
        let expiry = try #require(result["expire_at"]?.string)
        #expect(expiry.hasSuffix("Z") && expiry.utf8.count == 24)
        #expect(try await ask(#"{"purpose":"\#(purpose)"}"#, of: web).body != answer.body)
    }

    @Test("asking for one stores nothing") func storesNothing() async throws {
        let web = try await WebSide()
        let before = web.commits
        _ = try await ask(#"{"purpose":"app2app_request"}"#, of: web)
        #expect(web.commits == before)
    }

    @Test(
        "what is no purpose is refused where it stands",
        arguments: [
            (#"{"purpose":"login"}"#, "/purpose"), (#"{"purpose":1}"#, "/purpose"),
            (#"{"purpose":"app2app_request","more":1}"#, ""), (#"{}"#, ""), (#"[]"#, ""),
        ]
    )
    func refuses(_ body: String, _ location: String) async throws {
        let answer = try await ask(body, of: WebSide())
        #expect(answer.status == 400)
        let error = try #require(answer["error"])
        #expect(error["name"] == "Invalid" && error["reason"] == "ValidationFailed")
        #expect(error["info"]?["causes"]?.array?.first?["location"] == .string(location))
    }

    @Test("another media type, a query and broken JSON are bad requests") func forms()
        async throws
    {
        let web = try await WebSide()
        let answers = [
            try await web.post("/oauth2/challenge", "purpose=app2app_request"),
            try await ask("{", of: web),
            try await web.send(
                .post,
                "/oauth2/challenge?purpose=app2app_request",
                headers: Self.json,
                body: Array(#"{"purpose":"app2app_request"}"#.utf8)
            ),
        ]
        for answer in answers { #expect(answer["error"]?["reason"] == "BadRequest") }
    }

    @Test("a flood is told to wait") func flood() async throws {
        let web = try await WebSide(limits: [.challenge: .init(perMinute: 1)])
        #expect(try await ask(#"{"purpose":"app2app_request"}"#, of: web).status == 200)
        let second = try await ask(#"{"purpose":"app2app_request"}"#, of: web)
        #expect(second.status == 429)
        #expect(second.field("Retry-After") == ["60"])
    }

    @Test("so is a flood from many addresses") func wideFlood() async throws {
        let web = try await WebSide(limits: [.challengePerNode: .init(perMinute: 60, burst: 2)])
        for _ in 0..<2 {
            #expect(try await ask(#"{"purpose":"app2app_request"}"#, of: web).status == 200)
        }
        let third = try await ask(#"{"purpose":"app2app_request"}"#, of: web)
        #expect(third.status == 429 && third["error"]?["reason"] == "RateLimited")
        #expect(third.field("Retry-After") == ["1"])
    }

    @Test("attack: a network of many addresses asks: it gets what four get, and others theirs")
    func network() async throws {
        var web = try await WebSide(limits: [.challenge: .init(perMinute: 1)])
        for number in 0..<6 {
            let address = SocketAddress("[2001:db8:6:\(number)::1]:1")
            web.client = ClientAddress(try Fixture.some(address))
            let answer = try await ask(#"{"purpose":"app2app_request"}"#, of: web)
            #expect(answer.status == (number < 4 ? 200 : 429), "\(number)")
        }
        web.client = ClientAddress(try Fixture.some(SocketAddress("[2001:db8:7::1]:1")))
        #expect(try await ask(#"{"purpose":"app2app_request"}"#, of: web).status == 200)
    }

    @Test("a challenge of another purpose, project or time, and an altered one, are worth nothing")
    func reads() async throws {
        let side = try await TokenSide()
        let challenges = side.challenges
        let challenge = challenges.issue(.app2app, in: side.project)
        let project = side.project
        let now = side.clock.now
        #expect(challenges.read(challenge.text, for: .app2app, in: project, at: now) != nil)
        #expect(challenges.read(challenge.text, for: .biometric, in: project, at: now) == nil)
        let end = challenge.expiresAt
        #expect(challenges.read(challenge.text, for: .app2app, in: project, at: end) == nil)
        let other = Project(
            number: try Fixture.some(ProjectNumber(2)),
            settings: project.settings,
            digest: project.digest,
            configuration: project.configuration,
            keys: project.keys,
            keysStream: project.keysStream,
            keysVersion: project.keysVersion
        )
        #expect(challenges.read(challenge.text, for: .app2app, in: other, at: now) == nil)
        for index in 3..<67 {
            var altered = challenge.text
            altered[index] = altered[index] == 0x41 ? 0x42 : 0x41
            #expect(challenges.read(altered, for: .app2app, in: project, at: now) == nil)
        }
    }
}
