import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Signing
import TestSupport
import Testing
import WebAPI

/// An app proves with the key it began the login with that it is the device that asked
/// (wire.md sections 7.3 and 7.5, case 1).
@Suite("Same device by proof") struct LinkProofTests {
    /// A login that was asked for by the app on `phone`, and its link.
    private struct Asked {
        let phone: Phone
        var app: PageSide
        let link: String

        init(_ client: String) async throws {
            phone = try Phone()
            let proof = try phone.jwt(phone.header("dpop+jwt"), DPoPTests.payload("1"))
            let read = try PhoneJWTReader().open(Array(proof.utf8), as: .dpop)
            let key = try #require(read.key).thumbprint.digest
            var side = try await PageSide()
            link = try await side.askForMail(client, ["dpop_jkt": Base64URL.text(key.bytes)]).link
            app = side
            // The browser that waits is another one than the app.
            app.cookies = [:]
        }

        mutating func approve(by phone: Phone?, path: String? = nil) async throws -> Answer {
            let own = String(link.prefix { $0 != "?" })
            guard let phone else { return await app.send(.post, link) }
            let payload = DPoPTests.payload("2")
                .setting("htu", .string(PageSide.origin + (path ?? own)))
            let proof = try phone.jwt(phone.header("dpop+jwt"), payload)
            return await app.send(.post, link, [("dpop", proof)])
        }
    }

    private static func reason(_ answer: Answer) -> String? { answer["error"]?["reason"]?.string }

    @Test("with deny it alone may approve") func deny() async throws {
        var asked = try await Asked("denying")
        let before = asked.app.side.store.commits.count
        let thief = try Phone()
        let others = [
            try await asked.approve(by: nil), try await asked.approve(by: thief),
            try await asked.approve(by: asked.phone, path: "/oauth2/token"),
        ]
        for answer in others {
            #expect(answer.status == 403)
            #expect(Self.reason(answer) == "LoginLinkApprovalDenied")
        }
        #expect(asked.app.side.store.commits.count == before)
        let answer = try await asked.approve(by: asked.phone)
        #expect(answer["result"]?["status"]?.string == "approved", "\(answer.body)")
    }

    @Test("with confirm it needs no number") func confirm() async throws {
        var asked = try await Asked("confirming")
        let other = try await asked.approve(by: nil)
        #expect(other["result"]?["status"]?.string == "confirmation_required")
        let answer = try await asked.approve(by: asked.phone)
        #expect(answer["result"]?["status"]?.string == "approved", "\(answer.body)")
    }
}
