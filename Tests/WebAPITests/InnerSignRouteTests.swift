import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

@Suite("Inner signing") struct InnerSignRouteTests {
    private func send(
        _ body: String,
        _ method: WebAPI.Method = .post,
        clockProblem: String? = nil
    ) async throws -> Answer {
        let side = try await TokenSide()
        side.clock.distrust(clockProblem)
        let signing = InnerSigning(
            signer: side.signer,
            clock: side.clock,
            entropy: side.entropy
        )
        let api = InnerAPI(
            [InnerSignRoute(signing: signing, projects: side.projects)],
            intake: Intake(proxies: TrustedProxies(), entropy: side.entropy),
            observer: RequestObserver(metrics: Metrics(), log: .discarding),
            clock: side.clock
        )
        let response = await api.respond(
            to: WebAPI.Request(
                method: method,
                path: "/inner/sign",
                host: "",
                headers: RequestHeaders(["content-type": "application/json"]),
                body: Array(body.utf8),
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

    @Test("signs messages, under issuer, time and id of its own", arguments: InnerSigning.types)
    func signs(_ type: String) async throws {
        let answer = try await send(
            #"{"project":"bank","typ":"\#(type)","claims":{"aud":"web","sid":"s"}}"#
        )
        let token = try #require(answer.result?["token"]?.string, "\(answer.body)")
        let start = type + #".{"iss":"https://auth.example.com","iat":1795232554,"jti":""#
        #expect(token.hasPrefix(start))
        #expect(token.hasSuffix(#"","aud":"web","sid":"s"}"#))
    }

    @Test(
        "signs nothing that could pass for a token",
        arguments: [
            #""typ":"at+jwt","claims":{}"#, #""typ":"JWT","claims":{}"#,
            #""typ":"LOGOUT+JWT","claims":{}"#,
            #""typ":"logout+jwt","claims":{"scope":"openid"}"#,
            #""typ":"logout+jwt","claims":{"nonce":"n"}"#,
            #""typ":"logout+jwt","claims":{"client_id":"app"}"#,
            #""typ":"logout+jwt","claims":{"cnf":{}}"#,
            #""typ":"logout+jwt","claims":{"iss":"https://evil.example"}"#,
            #""typ":"logout+jwt","claims":{"iat":1}"#,
            #""typ":"logout+jwt","claims":{"jti":"j"}"#,
            #""typ":"logout+jwt","claims":{"\u0073cope":"openid"}"#,
            #""typ":"logout+jwt","claims":[]"#, #""typ":"logout+jwt""#,
            #""typ":"logout+jwt","claims":{},"more":1"#,
        ]
    )
    func refuses(_ members: String) async throws {
        let answer = try await send(#"{"project":"bank",\#(members)}"#)
        #expect(answer.status == 400)
        #expect(answer.reason == "ValidationFailed")
    }

    @Test("nothing while the clock is wrong") func wrongClock() async throws {
        let message = #"{"project":"bank","typ":"logout+jwt","claims":{"aud":"web"}}"#
        #expect(try await send(message).status == 200)
        let answer = try await send(message, clockProblem: "an hour ahead")
        #expect(answer.status == 503)
        #expect(answer.field("Retry-After") == ["5"])
    }

    @Test("of a project that is there, and only posted") func elsewhere() async throws {
        let answer = try await send(#"{"project":"no","typ":"logout+jwt","claims":{}}"#)
        #expect(answer.status == 404)
        #expect(try await send("", .get).status == 405)
    }
}
