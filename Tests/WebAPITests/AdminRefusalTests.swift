import Domain
import Foundation
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

@Suite("What an operator hears of a refusal") struct AdminRefusalTests {
    private static let stage = #"{"algorithm":"RS256","reason":"x"}"#

    @Test("an operator who is taken out is nobody from the next request on") func takenOut()
        async throws
    {
        let admin = try await AdminSide()
        let path = "/admin/v1/project"
        #expect(try await admin.send(.get, path, as: .read).status == 200)
        let other = Operators.Credential(
            holder: Operator(name: "other", role: .read),
            proof: .token(admin.side.digester.sha256(Array("token-of-another".utf8)))
        )
        admin.operators.replace(with: [other])
        #expect(try await admin.send(.get, path, as: .read).status == 401)
        admin.operators.replace(with: [])
        #expect(try await admin.send(.get, path, as: .read).status == 404)
    }

    @Test("a log that did not answer is told by its name, and may be asked again")
    func away() async throws {
        let admin = try await AdminSide()
        admin.side.store.fail(.unavailable)
        let answer = try await admin.send(.post, "/admin/v1/keys/stage", body: Self.stage)
        #expect(answer.status == 503, "\(answer.body)")
        #expect(answer.field("Retry-After") == ["1"])
        #expect(answer.refusal?.id == "ST-001")
    }

    @Test("a stream that nobody can fold is told by its name, and not to try again")
    func damaged() async throws {
        let admin = try await AdminSide()
        admin.side.store.spoil(admin.side.project.keysStream)
        for (method, path) in [(.get, ""), (.post, "/stage")] as [(WebAPI.Method, String)] {
            let answer = try await admin.send(
                method,
                "/admin/v1/keys\(path)",
                body: method == .post ? Self.stage : ""
            )
            #expect(answer.status == 500, "\(answer.body)")
            #expect(answer.reason == "UnexpectedError")
            #expect(answer.field("Retry-After").isEmpty && !answer.body.contains("try again"))
            #expect(answer.refusal?.id == "ST-003")
            let stream = "\(admin.side.project.keysStream)"
            #expect(answer.refusal?.cause.contains(stream) == true, "\(answer.refusal as Any)")
            #expect(!answer.body.contains(stream))
        }
    }

    /// The client tells an operator to try again at 503, and to look first at `ST-002`.
    @Test(
        "an order that was not answered in time may have happened; one that was shed has not",
        arguments: [
            (.post, true, true), (.put, true, true), (.get, true, false), (.post, false, false),
        ] as [(HTTPServer::Method, Bool, Bool)]
    )
    func late(_ method: HTTPServer::Method, isLate: Bool, mayHaveHappened: Bool) async throws {
        let admin = try await AdminSide()
        let head = RequestHead(method, "/admin/v1/project", host: "127.0.0.1")
        let answer = admin.api.refused(
            RefusedRequest(.serviceUnavailable, head, isLate: isLate),
            from: Peer(SocketAddress.loopback(port: 1))
        )
        #expect(answer.status == .serviceUnavailable)
        #expect(answer.values(of: "Retry-After") == ["1"])
        let body = String(decoding: answer.body, as: UTF8.self)
        #expect(body.contains("try again"), "\(body)")
        #expect(body.contains("ST-002") == mayHaveHappened, "\(body)")
    }

    @Test("a clock that is wrong is told by its name") func clock() async throws {
        let admin = try await AdminSide()
        admin.side.clock.distrust("off by 3000 ms")
        let answer = try await admin.send(.get, "/admin/v1/keys")
        #expect(answer.status == 503)
        #expect(answer.field("Retry-After") == ["5"])
        #expect(answer.refusal?.id == "NO-001")
        #expect(answer.refusal?.cause == "off by 3000 ms")
    }

    @Test("what may not be yet says from when on it may") func early() async throws {
        let admin = try await AdminSide()
        let staged = admin.side.clock.now
        _ = try await admin.send(.post, "/admin/v1/keys/stage", body: Self.stage)
        let promote = #"{"kid":"key-1","reason":"x"}"#
        let early = try await admin.send(.post, "/admin/v1/keys/promote", body: promote)
        #expect(early.status == 409)
        let ripe = staged.adding(milliseconds: SigningKeyRing.stagedMilliseconds)
        #expect(early.causes == ["/kid: may be promoted from \(Self.text(ripe)) on"])
        admin.side.clock.advance(seconds: SigningKeyRing.stagedMilliseconds / 1000)
        let now = try await admin.send(.post, "/admin/v1/keys/promote", body: promote)
        #expect(now.status == 200, "\(now.body)")
        let retire = #"{"kid":"first-RS256","reason":"x"}"#
        let living = try await admin.send(.post, "/admin/v1/keys/retire", body: retire)
        #expect(living.status == 409)
        let dead = ripe.adding(milliseconds: SigningKeyRing.retainedMilliseconds)
        #expect(living.causes == ["/kid: may be retired from \(Self.text(dead)) on"])
        admin.side.clock.advance(seconds: SigningKeyRing.retainedMilliseconds / 1000)
        let gone = try await admin.send(.post, "/admin/v1/keys/retire", body: retire)
        #expect(gone.status == 200, "\(gone.body)")
    }

    @Test("where there may be several projects, a request that names none is told to name one")
    func unnamed() async throws {
        let admin = try await AdminSide()
        let shop = try SharedHostTests.project("shop", "shop.example.com", 2, beside: admin.side)
        admin.side.projects.replace(shop)
        for isServed in [true, false] {
            if !isServed { admin.side.projects.stopServing(shop.settings.id) }
            let unnamed = try await admin.send(.get, "/admin/v1/keys")
            #expect(unnamed.status == 400 && unnamed.reason == "BadRequest", "\(unnamed.body)")
            #expect(unnamed["error"]?["refusal"] == "AD-002", "\(unnamed.body)")
            #expect(unnamed.refusal?.id == "AD-002")
            #expect(try await admin.send(.get, "/admin/v1/keys?project=bank").status == 200)
        }
    }

    @Test("what its sentence says whole has nothing more to say") func plain() async throws {
        let admin = try await AdminSide()
        let unknown = #"{"kid":"nobody","reason":"x"}"#
        let answer = try await admin.send(.post, "/admin/v1/keys/retire", body: unknown)
        #expect(answer.status == 409)
        #expect(answer["error"]?["info"] == nil)
    }

    private static func text(_ instant: Instant) -> String {
        let seconds = Date(timeIntervalSince1970: Double(instant.seconds)).formatted(.iso8601)
        let fraction = "\(1000 + instant.milliseconds % 1000)".dropFirst()
        return "\(seconds.dropLast()).\(fraction)Z"
    }
}

extension Answer {
    /// `error.info.causes` of form B: `location: msg` of each.
    var causes: [String]? {
        self["error"]?["info"]?["causes"]?.array?.map { cause in
            "\(cause["location"]?.string ?? ""): \(cause["details"]?["msg"]?.string ?? "")"
        }
    }
}
