import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// A code that comes again (wire.md section 5.2 step 4, security.md section 4.1).
@Suite("Codes that come again, over HTTP") struct CodeReplayTests {
    private static func refresh(_ web: WebSide, _ answer: Answer) async throws -> Answer {
        try await DPoPTests.refresh(web, try #require(answer["refresh_token"]?.string))
    }

    private static func events(_ web: WebSide, after count: Int) -> [String] {
        web.newestEvents(after: count).map { event in
            switch event {
            case .authorizationCode(.replayed): "replayed"
            case .offlineGrant(.revoked(.codeReplay)): "revoked"
            default: "\(event)"
            }
        }
    }

    @Test("attack: whoever lacks the verifier, the client or the address logs nobody out")
    func unproven() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        let opened = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        let used = try await Self.refresh(web, opened)
        web.side.clock.advance(seconds: 11)
        let changes = [
            ["code_verifier": String(repeating: "v", count: 43)], ["code_verifier": ""],
            ["redirect_uri": "https://app.example.com/other"], ["redirect_uri": ""],
            ["client_id": "other"],
        ]
        for change in changes {
            let all = ["client_id": "app"].merging(change) { $1 }
            let answer = try await web.expectNothingRecorded("\(change)") {
                try await App2AppCodeTests.redeem(web, code, all)
            }
            #expect(answer.error == "invalid_grant", "\(change)")
        }
        #expect(try await Self.refresh(web, used).status == 200)
    }

    @Test("attack: whoever has all of it ends what was issued, by two events, once")
    func proven() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        let opened = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        web.side.clock.advance(seconds: 11)
        let before = web.commits
        let replay = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(replay.error == "invalid_grant")
        #expect(Self.events(web, after: before) == ["replayed", "revoked"])
        try await web.expectNothingRecorded {
            let answers = [
                try await DeviceKeyTests.redeem(web, code: code, jwt: nil),
                try await Self.refresh(web, opened),
            ]
            #expect(answers.map(\.error) == ["invalid_grant", "invalid_grant"])
        }
    }

    @Test("a retry of an app whose answer was lost ends nothing within ten seconds")
    func retried() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        let opened = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        web.side.clock.advance(seconds: 9)
        let retry = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(retry.error == "invalid_grant")
        #expect(try await Self.refresh(web, opened).status == 200)
    }

    @Test("and uses up no proof that comes with it, nor does a replay that was recorded before")
    func unspent() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let code = try await web.side.code()
        let first = try DPoPTests.proof(phone, "1")
        #expect(try await DPoPTests.redeem(web, code: code, proof: first).status == 200)
        for (seconds, id) in [(9, "2"), (2, "3"), (0, "4")] as [(Int64, String)] {
            web.side.clock.advance(seconds: seconds)
            let before = web.commits
            let proof = try DPoPTests.proof(phone, id)
            let replay = try await DPoPTests.redeem(web, code: code, proof: proof)
            #expect(replay.error == "invalid_grant", "\(replay.body)")
            // The second one, past the grace, is recorded with all that it brought.
            #expect((web.commits == before) == (id != "3"), "\(id)")
        }
    }

    @Test("attack: another web client redeems the code of an app's user who went on in a browser")
    func continued() async throws {
        let side = try await ContinuationTests.Side()
        let code = try await side.code()
        for client in ["offers2", "app", "invest"] {
            let answer = try await side.web.expectNothingRecorded(client) {
                try await DeviceKeyTests.redeem(side.web, code: code, jwt: nil, client: client)
            }
            #expect(answer.word == "400 invalid_grant", "\(client)")
        }
        #expect(try await side.redeem(code).status == 200)
    }

    @Test("a code is good for a minute") func late() async throws {
        let web = try await WebSide()
        let code = try await web.side.code()
        web.side.clock.advance(seconds: 60)
        let answer = try await web.expectNothingRecorded {
            try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        }
        #expect(answer.error == "invalid_grant")
    }
}
