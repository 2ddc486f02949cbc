import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Key confusion (Security 3), through every route that takes a JWT of a phone.
@Suite("Key confusion over HTTP") struct KeyConfusionTests {
    /// A route, with a request that has everything right.
    struct Opened {
        let web: WebSide
        let draft: Draft
        let send: @Sendable (String) async throws -> Answer
    }

    /// A way in, and what it says to a JWT that is none.
    struct Door: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var refusal: String
        /// Where a wrong signature has a name of its own.
        var wrongSignature: String?
        /// What is wrong with a proof has a name of its own, too.
        var isProof = false
        var open: @Sendable () async throws -> Opened
    }

    @Test(
        "an attack is refused and leaves no trace, and what is right then works",
        arguments: doors
    )
    func refused(_ door: Door) async throws {
        var opened = try await door.open()
        for row in Self.rows {
            let jwt = try row.forge(opened.draft)
            let isWrong = row.cause == "signature"
            let before = opened.web.commits
            let answer = try await opened.send(jwt)
            let word = isWrong ? door.wrongSignature ?? door.refusal : door.refusal
            #expect(answer.word == word, "\(row.sentence): \(answer.body)")
            let rule = "the signature of the proof is wrong"
            let cause = isWrong && door.isProof ? rule : row.cause
            #expect(answer.refusal?.cause == cause, "\(row.sentence): \(answer.body)")
            let events = opened.web.newestEvents(after: before)
            guard isWrong, door.wrongSignature != nil else {
                #expect(events.isEmpty, "\(row.sentence): \(events)")
                continue
            }
            // It answers a challenge of ours, so it is counted, and ten of them pause the key.
            guard case .biometricKey(.verificationFailed(1, _)) = events.first else {
                Issue.record("\(row.sentence): \(events)")
                continue
            }
            #expect(events.count == 1, "\(row.sentence): \(events)")
            opened = try await door.open()
        }
        let good = try await opened.send(opened.draft.compact())
        #expect(200...201 ~= good.status, "\(good.body)")
    }
}
