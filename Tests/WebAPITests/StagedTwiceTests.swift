import Domain
import HTTPServer
import InMemory
import OAuth
import TestSupport
import Testing

@Suite("A key whose order comes again") struct StagedTwiceTests {
    private static func stage(_ admin: AdminSide, _ algorithm: String = "ES256")
        async throws -> Answer
    {
        let body = #"{"algorithm":"\#(algorithm)","reason":"yearly"}"#
        return try await admin.send(.post, "/admin/v1/keys/stage", body: body)
    }

    private static func staged(_ admin: AdminSide) async throws -> [String?] {
        let list = try await admin.send(.get, "/admin/v1/keys")
        return list.result?["keys"]?.array?.filter { $0["status"] == "staged" }
            .map { $0["kid"]?.string } ?? []
    }

    @Test("an operator whose answer was lost hears of the key that was made, and makes no other")
    func lostAnswer() async throws {
        let admin = try await AdminSide()
        admin.side.store.fail(.answerLost)
        #expect(try await Self.stage(admin).status == 503)
        for _ in 1...2 {
            admin.side.clock.advance(seconds: 59)
            let again = try await Self.stage(admin)
            #expect(again.status == 200 && again.result?["kid"] == "key-1", "\(again.body)")
            #expect(try await Self.staged(admin) == ["key-1"])
        }
        // Of another algorithm it is another order.
        #expect(try await Self.stage(admin, "RS256").result?["kid"] == "key-2")
    }

    @Test("two orders at once make one key") func atOnce() async throws {
        let admin = try await AdminSide()
        admin.side.store.beforeNextAppend { _ = try? await Self.stage(admin) }
        #expect(try await Self.stage(admin).result?["kid"] == "key-2")
        #expect(try await Self.staged(admin) == ["key-2"])
    }

    @Test("a key whose file is not at this node is nobody's answer: there another is made")
    func lostFile() async throws {
        let vault = StandInVault()
        let admin = try await AdminSide(vault: vault)
        #expect(try await Self.stage(admin).result?["kid"] == "key-1")
        vault.lose("key-1")
        // Of the one made here the order that comes again is told as ever.
        for _ in 1...2 {
            #expect(try await Self.stage(admin).result?["kid"] == "key-2")
            #expect(try await Self.staged(admin) == ["key-1", "key-2"])
        }
    }

    @Test("a key whose file is not at this node does not come to sign, however urgent it is")
    func promotedWithoutFile() async throws {
        let vault = StandInVault()
        let admin = try await AdminSide(vault: vault)
        #expect(try await Self.stage(admin).result?["kid"] == "key-1")
        admin.side.clock.advance(seconds: 2 * 24 * 3600)
        vault.lose("key-1")
        let promote = #"{"kid":"key-1","reason":"x"}"#
        for body in [promote, #"{"kid":"key-1","reason":"x","emergency":true}"#] {
            let answer = try await admin.send(.post, "/admin/v1/keys/promote", body: body)
            #expect(answer.status == 409 && answer.reason == "Conflict", "\(answer.body)")
            // The operator hears what is wrong with the file, and the log says it, too.
            #expect(answer.body.contains("key-1.key is lost"), "\(answer.body)")
            #expect(answer.refusal?.cause.contains("key-1.key is lost") == true)
            #expect(try await Self.staged(admin) == ["key-1"])
        }
        vault.find("key-1")
        #expect(try await admin.send(.post, "/admin/v1/keys/promote", body: promote).status == 200)
        // What signs already is not asked about: nothing would change.
        vault.lose("key-1")
        #expect(try await admin.send(.post, "/admin/v1/keys/promote", body: promote).status == 200)
    }

    @Test("for a stolen key's place an operator gets a new key, not one that has lain there")
    func anotherOrder() async throws {
        let admin = try await AdminSide()
        #expect(try await Self.stage(admin).result?["kid"] == "key-1")
        admin.side.clock.advance(seconds: 120)
        #expect(try await Self.stage(admin).result?["kid"] == "key-2")
        // Also at once, where the first is no good any more.
        let giveUp = #"{"kid":"key-2","reason":"x"}"#
        _ = try await admin.send(.post, "/admin/v1/keys/compromise", body: giveUp)
        #expect(try await Self.stage(admin).result?["kid"] == "key-3")
    }
}
