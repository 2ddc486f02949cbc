import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

@Suite("Health") struct HealthTests {
    @Test("live, ready and measured, without a token") func healthy() async throws {
        let admin = try await AdminSide()
        #expect(try await admin.send(.get, "/livez", as: nil).status == 200)
        let ready = try await admin.send(.get, "/readyz", as: nil)
        #expect(ready.status == 200)
        #expect(ready.body == #"{"checks":{"database":"ok","keys":"ok"}}"#)
        let metrics = try await admin.send(.get, "/metrics", as: nil)
        #expect(metrics.field("Content-Type") == ["text/plain; version=0.0.4"])
        #expect(metrics.body.contains("# TYPE chancery_http_requests_total counter"))
        // What runs is counted once, by the server that runs it.
        #expect(!metrics.body.contains("chancery_http_running"))
    }

    @Test("not ready says what is missing") func unready() async throws {
        let admin = try await AdminSide(problem: "no connection")
        let ready = try await admin.send(.get, "/readyz", as: nil)
        #expect(ready.status == 503)
        #expect(ready.body == #"{"checks":{"database":"no connection","keys":"ok"}}"#)
        #expect(try await admin.send(.get, "/livez", as: nil).status == 200)
        #expect(try await admin.send(.post, "/livez", as: nil).status == 405)
    }

    @Test("a process whose loops stand still says so, ready or not") func dead() async throws {
        let admin = try await AdminSide(isAlive: false)
        #expect(try await admin.send(.get, "/livez", as: nil).status == 503)
        #expect(try await admin.send(.get, "/readyz", as: nil).status == 200)
    }

    @Test(
        "what is not there says so to a request with a body, too",
        arguments: ["/livez", "/admin/v1/nope"]
    )
    func body(_ path: String) async throws {
        let admin = try await AdminSide()
        let head = RequestHead(.post, path, host: "127.0.0.1", contentLength: 2)
        let peer = Peer(.loopback(port: 1))
        for admission in [admin.api.admit(head, from: peer), admin.bare.admit(head, from: peer)] {
            guard case .accept(let terms) = admission else {
                Issue.record("refused")
                continue
            }
            #expect(terms.bodyBytesMax >= 2)
        }
    }
}

@Suite("Operators") struct OperatorTests {
    private static let needs: [(WebAPI.Method, String, Operator.Role)] = [
        (.get, "/admin/v1/project", .read), (.put, "/admin/v1/project", .configure),
        (.post, "/admin/v1/project/suspend", .configure),
        (.post, "/admin/v1/project/resume", .configure),
        (.get, "/admin/v1/sessions", .read), (.get, "/admin/v1/subjects", .read),
        (.post, "/admin/v1/subjects/x/disable", .operate),
        (.post, "/admin/v1/subjects/x/enable", .operate),
        (.post, "/admin/v1/subjects/x/erase", .operate),
        (.post, "/admin/v1/sessions/x/end", .operate),
        (.get, "/admin/v1/subjects/x/biometric_keys", .read),
        (.post, "/admin/v1/subjects/x/biometric_keys/remove", .operate),
        (.post, "/admin/v1/subjects/x/biometric_keys/remove_all", .operate),
        (.get, "/admin/v1/subjects/x/consents", .read),
        (.post, "/admin/v1/subjects/x/consents/withdraw", .operate),
        (.post, "/admin/v1/keys/stage", .configure),
        (.post, "/admin/v1/keys/promote", .configure),
        (.post, "/admin/v1/keys/retire", .configure),
        (.post, "/admin/v1/keys/compromise", .configure),
    ]

    @Test("nobody is anonymous, and nobody does more than the role allows", arguments: needs)
    func roles(_ method: WebAPI.Method, _ path: String, _ role: Operator.Role) async throws {
        let admin = try await AdminSide()
        let anonymous = try await admin.send(method, path, as: nil)
        #expect(anonymous.status == 401)
        #expect(anonymous.reason == "Unauthenticated")
        #expect(anonymous.field("WWW-Authenticate") == ["Bearer"])
        let stranger = try await admin.send(
            method,
            path,
            as: nil,
            headers: ["authorization": "Bearer nonsense"]
        )
        #expect(stranger.status == 401)
        for holder in Operator.Role.allCases {
            let answer = try await admin.send(method, path, as: holder)
            let isRefused = answer.reason == "AccessDenied" && answer.status == 403
            #expect(isRefused == !Operator(name: "x", role: holder).may(role))
        }
    }

    @Test("while the clock is wrong no operator is served, and nothing changes", arguments: needs)
    func wrongClock(_ method: WebAPI.Method, _ path: String, _ role: Operator.Role) async throws {
        let admin = try await AdminSide()
        let commits = admin.side.store.commits.count
        admin.side.clock.distrust("an hour ahead")
        let answer = try await admin.send(method, path)
        #expect(answer.status == 503)
        #expect(answer.field("Retry-After") == ["5"])
        #expect(admin.side.store.commits.count == commits)
        #expect(try await admin.send(.get, "/livez", as: nil).status == 200)
        #expect(try await admin.send(method, path, as: nil).status == 401)
    }

    @Test("without operators there is no admin API") func off() async throws {
        let admin = try await AdminSide(off: true)
        #expect(try await admin.send(.get, "/admin/v1/project").status == 404)
        #expect(try await admin.send(.get, "/livez", as: nil).status == 200)
    }

    @Test("guessing tokens is limited, and so is each operator") func limits() async throws {
        let admin = try await AdminSide(
            rates: [.failedRequest: .init(perMinute: 2), .admin: .init(perMinute: 3)]
        )
        for _ in 0..<3 { _ = try await admin.send(.get, "/admin/v1/project") }
        let limited = try await admin.send(.get, "/admin/v1/project")
        #expect(limited.status == 429)
        #expect(limited.reason == "RateLimited")
        #expect(limited.field("Retry-After").count == 1)
        for _ in 0..<2 {
            #expect(try await admin.send(.get, "/admin/v1/project", as: nil).status == 401)
        }
        #expect(try await admin.send(.get, "/admin/v1/project", as: nil).status == 429)
        // Who fails at an operator's address keeps no operator out.
        #expect(try await admin.send(.get, "/admin/v1/project", as: .read).status == 200)
    }
}

@Suite("Keys") struct AdminKeysRouteTests {
    @Test("are staged, promoted in an emergency, and distrusted") func ring() async throws {
        let admin = try await AdminSide()
        let staged = try await admin.send(
            .post,
            "/admin/v1/keys/stage",
            body: #"{"algorithm":"RS256","reason":"yearly"}"#
        )
        #expect(staged.result?["kid"] == "key-1", "\(staged.body)")
        let early = try await admin.send(
            .post,
            "/admin/v1/keys/promote",
            body: #"{"kid":"key-1","reason":"now"}"#
        )
        #expect(early.status == 409)
        #expect(early.body.contains("staged too recently"), "\(early.body)")
        let promoted = try await admin.send(
            .post,
            "/admin/v1/keys/promote",
            body: #"{"kid":"key-1","emergency":true,"reason":"now"}"#
        )
        #expect(promoted.status == 200)
        let compromised = try await admin.send(
            .post,
            "/admin/v1/keys/compromise",
            body: #"{"kid":"key-1","final":true,"reason":"leaked"}"#
        )
        #expect(compromised.status == 200)
        #expect(admin.side.store.commits.last?.attributes.reason == "leaked")
    }

    @Test(
        "a body with something wrong in it is refused",
        arguments: [
            ("stage", "", "BadRequest"), ("stage", "{", "BadRequest"),
            ("stage", "[]", "ValidationFailed"), ("stage", "{}", "ValidationFailed"),
            ("stage", #"{"reason":""}"#, "ValidationFailed"),
            ("stage", #"{"reason":"x","algorithm":"HS256"}"#, "ValidationFailed"),
            ("stage", #"{"reason":"x","more":1}"#, "ValidationFailed"),
            ("stage", #"{"reason":"x","reason":"x"}"#, "BadRequest"),
            ("stage", #"{"reason":"a\u0001"}"#, "ValidationFailed"),
            ("promote", #"{"reason":"x"}"#, "ValidationFailed"),
            ("promote", #"{"reason":"x","kid":7}"#, "ValidationFailed"),
            ("promote", #"{"reason":"x","kid":"k","emergency":1}"#, "ValidationFailed"),
            ("retire", #"{"reason":"x","kid":"k","emergency":true}"#, "ValidationFailed"),
            ("retire", #"{"reason":"x","kid":"k","final":true}"#, "ValidationFailed"),
            ("compromise", #"{"reason":"x","kid":"k","emergency":true}"#, "ValidationFailed"),
            ("retire", #"{"reason":"x","kid":"unknown"}"#, "Conflict"),
        ]
    )
    func refuses(_ act: String, _ body: String, _ reason: String) async throws {
        let admin = try await AdminSide()
        let before = admin.side.store.commits.count
        let answer = try await admin.send(.post, "/admin/v1/keys/\(act)", body: body)
        #expect(answer.reason == reason, "\(answer.body)")
        #expect(admin.side.store.commits.count == before)
    }

    @Test("a reason of 200 bytes is long enough") func longReason() async throws {
        let admin = try await AdminSide()
        for (count, status) in [(200, 200), (201, 400)] {
            let reason = String(repeating: "r", count: count)
            let answer = try await admin.send(
                .post,
                "/admin/v1/keys/stage",
                body: "{\"reason\":\"\(reason)\"}"
            )
            #expect(answer.status == status)
        }
    }
}

@Suite("Sessions and subjects") struct AdminLookUpTests {
    @Test("a subject's sessions are listed and shown one by one") func sessions() async throws {
        let admin = try await AdminSide()
        _ = try await admin.side.redeem(admin.side.code())
        let list = try await admin.send(
            .get,
            "/admin/v1/sessions?subject=\(admin.side.subject)"
        )
        let entries = try #require(list.result?["sessions"]?.array, "\(list.body)")
        #expect(list.result?["next"] == .null)
        let grant = try #require(entries.first { $0["type"] == "offline_grant" })
        #expect(grant["sub"]?.string == admin.side.subject.description)
        #expect(grant["status"] == "live")
        #expect(grant["client_ids"] == ["app"])
        #expect(grant["created_at"] == "2026-11-21T03:42:34.473Z")
        #expect(grant["parent"]?["kind"] == "code")
        let sid = try #require(grant["sid"]?.string)
        let one = try await admin.send(.get, "/admin/v1/sessions/\(sid)")
        #expect(one.result?["session"] == grant)
        let other = try await admin.send(
            .get,
            "/admin/v1/sessions?subject=\(admin.side.subject)&client=other"
        )
        #expect(other.result?["sessions"] == [])
        #expect(admin.side.store.historiesRead == 0)
    }

    @Test(
        "what is not there, or no name of anything",
        arguments: [
            ("/admin/v1/sessions", 400), ("/admin/v1/sessions?subject=x", 400),
            ("/admin/v1/sessions?subject=&client=app", 400),
            ("/admin/v1/sessions/x", 404),
            ("/admin/v1/sessions/00000000-0000-7000-8000-000000000000", 404),
            ("/admin/v1/subjects", 400), ("/admin/v1/subjects?email=nobody", 400),
            ("/admin/v1/subjects?email=a%00@example.com", 400),
        ]
    )
    func absent(_ target: String, _ status: Int) async throws {
        let admin = try await AdminSide()
        #expect(try await admin.send(.get, target).status == status)
    }

    @Test("a disabled subject's tokens are dead, enabling revives none") func disable()
        async throws
    {
        let admin = try await AdminSide()
        let side = admin.side
        let tokens = try await side.redeem(side.code())
        let path = "/admin/v1/subjects/\(side.subject)"
        let disabled = try await admin.send(
            .post,
            "\(path)/disable",
            as: .operate,
            body: #"{"reason":"fraud"}"#
        )
        #expect(disabled.body == #"{"result":{}}"#)
        #expect(try await !side.isActive(tokens.accessToken?.text))
        let enabled = try await admin.send(
            .post,
            "\(path)/enable",
            as: .operate,
            body: #"{"reason":"mistake"}"#
        )
        #expect(enabled.status == 200)
        #expect(try await !side.isActive(tokens.accessToken?.text))
        let unknown = try await admin.send(
            .post,
            "/admin/v1/subjects/80000000-0000-8000-8000-000000000000/disable",
            body: #"{"reason":"x"}"#
        )
        #expect(unknown.status == 404)
    }

    @Test("an address nobody has finds nobody") func nobody() async throws {
        let admin = try await AdminSide()
        let answer = try await admin.send(.get, "/admin/v1/subjects?email=b@example.com")
        #expect(answer.body == #"{"result":{"subjects":[]}}"#)
    }
}
