import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

@Suite("A key in an emergency") struct EmergencyKeyTests {
    private static func promote(_ kid: String, emergency: Bool, _ admin: AdminSide) async throws
        -> Answer
    {
        try await admin.send(
            .post,
            "/admin/v1/keys/promote",
            body: #"{"kid":"\#(kid)","emergency":\#(emergency),"reason":"stolen"}"#
        )
    }

    private static func status(of kid: String, _ admin: AdminSide) async throws -> String? {
        let list = try await admin.send(.get, "/admin/v1/keys")
        let keys = list.result?["keys"]?.array
        return keys?.first { $0["kid"]?.string == kid }?["status"]?.string
    }

    @Test("an emergency takes the former key out and names it, also when it is told again")
    func emergency() async throws {
        let admin = try await AdminSide()
        let stage = #"{"algorithm":"RS256","reason":"x"}"#
        _ = try await admin.send(.post, "/admin/v1/keys/stage", body: stage)
        admin.side.clock.advance(seconds: SigningKeyRing.stagedMilliseconds / 1000)
        let quiet = try await Self.promote("key-1", emergency: false, admin)
        #expect(quiet.result?["compromised"] == nil)
        #expect(try await Self.status(of: "first-RS256", admin) == "previous")
        // Twice: the answer of the first may have been lost.
        for _ in 0..<2 {
            let answer = try await Self.promote("key-1", emergency: true, admin)
            #expect(answer.result?["compromised"] == "first-RS256", "\(answer.body)")
            #expect(try await Self.status(of: "first-RS256", admin) == "compromised")
        }
        #expect(try await Self.status(of: "first-ES256", admin) == "current")
    }

    @Test("an emergency that is told again takes out no key of an earlier rotation")
    func earlierRotation() async throws {
        let admin = try await AdminSide()
        let stage = #"{"algorithm":"RS256","reason":"x"}"#
        for kid in ["key-1", "key-2"] {
            _ = try await admin.send(.post, "/admin/v1/keys/stage", body: stage)
            admin.side.clock.advance(seconds: SigningKeyRing.stagedMilliseconds / 1000)
            guard kid == "key-1" else { continue }
            _ = try await Self.promote(kid, emergency: false, admin)
            admin.side.clock.advance(seconds: 1)
        }
        for _ in 0..<2 {
            let answer = try await Self.promote("key-2", emergency: true, admin)
            #expect(answer.result?["compromised"] == "key-1", "\(answer.body)")
            #expect(try await Self.status(of: "first-RS256", admin) == "previous")
        }
        // Given up by its name, a key leaves no former one to the next.
        _ = try await admin.send(
            .post,
            "/admin/v1/keys/compromise",
            body: #"{"kid":"key-2","final":true,"reason":"x"}"#
        )
        admin.side.clock.advance(seconds: 1)
        _ = try await admin.send(.post, "/admin/v1/keys/stage", body: stage)
        for _ in 0..<2 {
            let answer = try await Self.promote("key-3", emergency: true, admin)
            #expect(answer.status == 200 && answer.result?["compromised"] == nil)
            #expect(try await Self.status(of: "first-RS256", admin) == "previous")
        }
    }

    @Test("an emergency after a key was given up by its name takes out no older one")
    func givenUpByName() async throws {
        let admin = try await AdminSide()
        let stage = #"{"algorithm":"RS256","reason":"x"}"#
        for _ in 1...2 {
            _ = try await admin.send(.post, "/admin/v1/keys/stage", body: stage)
            admin.side.clock.advance(seconds: 120)
        }
        admin.side.clock.advance(seconds: SigningKeyRing.stagedMilliseconds / 1000)
        _ = try await Self.promote("key-1", emergency: false, admin)
        admin.side.clock.advance(seconds: 1)
        let giveUp = #"{"kid":"key-1","final":true,"reason":"x"}"#
        _ = try await admin.send(.post, "/admin/v1/keys/compromise", body: giveUp)
        admin.side.clock.advance(seconds: 1)
        for _ in 0..<2 {
            let answer = try await Self.promote("key-2", emergency: true, admin)
            #expect(answer.result?["compromised"] == "key-1", "\(answer.body)")
            #expect(try await Self.status(of: "first-RS256", admin) == "previous")
        }
    }

    @Test("an emergency that is told again behind another key changes nothing")
    func overtaken() async throws {
        let admin = try await AdminSide()
        let stage = #"{"algorithm":"RS256","reason":"x"}"#
        for _ in 1...2 {
            _ = try await admin.send(.post, "/admin/v1/keys/stage", body: stage)
            admin.side.clock.advance(seconds: 120)
        }
        _ = try await Self.promote("key-1", emergency: true, admin)
        for emergency in [false, true] {
            admin.side.clock.advance(seconds: SigningKeyRing.stagedMilliseconds / 1000)
            let kid = emergency ? "key-3" : "key-2"
            _ = try await admin.send(.post, "/admin/v1/keys/stage", body: stage)
            _ = try await Self.promote(kid, emergency: emergency, admin)
            let answer = try await Self.promote("key-1", emergency: true, admin)
            #expect(answer.status == 409, "\(answer.body)")
            #expect(try await Self.status(of: kid, admin) == "current")
        }
    }

    @Test("the key that signs is given up only by who says that nothing is to sign then")
    func lastOne() async throws {
        let admin = try await AdminSide()
        let target = "/admin/v1/keys/compromise"
        let plain = #"{"kid":"first-RS256","reason":"stolen"}"#
        let refused = try await admin.send(.post, target, body: plain)
        #expect(refused.status == 409)
        #expect(refused.body.contains("keys promote KID --emergency"), "\(refused.body)")
        #expect(refused.body.contains("--final"), "\(refused.body)")
        #expect(try await Self.status(of: "first-RS256", admin) == "current")
        let meant = #"{"kid":"first-RS256","final":true,"reason":"stolen"}"#
        // Given up already, it may be given up again without the word.
        for body in [meant, plain] {
            #expect(try await admin.send(.post, target, body: body).status == 200)
            #expect(try await Self.status(of: "first-RS256", admin) == "compromised")
        }
    }

    @Test("a key that does not sign is given up without a further word") func formerOne()
        async throws
    {
        let admin = try await AdminSide()
        let stage = #"{"algorithm":"RS256","reason":"x"}"#
        for _ in 1...2 {
            _ = try await admin.send(.post, "/admin/v1/keys/stage", body: stage)
            admin.side.clock.advance(seconds: 120)
        }
        admin.side.clock.advance(seconds: SigningKeyRing.stagedMilliseconds / 1000)
        _ = try await Self.promote("key-1", emergency: false, admin)
        // The former one, and one that is staged.
        for kid in ["first-RS256", "key-2"] {
            let giveUp = #"{"kid":"\#(kid)","reason":"stolen"}"#
            let answer = try await admin.send(.post, "/admin/v1/keys/compromise", body: giveUp)
            #expect(answer.status == 200, "\(answer.body)")
            #expect(try await Self.status(of: kid, admin) == "compromised")
        }
        #expect(try await Self.status(of: "key-1", admin) == "current")
    }

    @Test("an operator hears that this node cannot write a key, not to try again")
    func unwritable() async throws {
        struct Full: KeyVault {
            func fault(of kid: String, _ algorithm: SigningKeyRing.Algorithm) async -> String? {
                nil
            }

            func generate(_ algorithm: SigningKeyRing.Algorithm, for project: ProjectNumber)
                async throws(KeyVaultError) -> GeneratedKey
            {
                throw .unwritable("/keys/x.key cannot be written: no space")
            }
        }
        let admin = try await AdminSide(vault: Full())
        let body = #"{"reason":"x"}"#
        let answer = try await admin.send(.post, "/admin/v1/keys/stage", body: body)
        #expect(answer.status == 500)
        #expect(answer.field("Retry-After").isEmpty)
        #expect(answer.body.contains("cannot write its keys.directory"), "\(answer.body)")
        #expect(answer["error"]?["refusal"] == "AD-001")
        #expect(answer.refusal?.cause == "/keys/x.key cannot be written: no space")
        #expect(!answer.body.contains("/keys/x.key"))
    }
}
