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
/// (WireContract 7.3 and 7.5, case 1).
@Suite("Same device by proof") struct LinkProofTests {
    /// A login that was asked for by the app on `phone`, and its link.
    struct Asked {
        let phone: Phone
        let client: String
        let key: String
        var app: PageSide
        var link = ""
        /// The cookies of the browser that waits, and the fields of its page.
        private var waiting: (cookies: [String: String], fields: String) = ([:], "")

        init(_ client: String) async throws {
            self.client = client
            phone = try Phone()
            let proof = try phone.jwt(phone.header("dpop+jwt"), DPoPTests.payload("1"))
            let read = try PhoneJWTReader().open(Array(proof.utf8), as: .dpop)
            key = Base64URL.text(try #require(read.key).thumbprint.digest.bytes)
            app = try await PageSide()
            try await ask()
        }

        /// Begins a login with that key, which its link then waits for.
        mutating func ask() async throws {
            let (page, link) = try await app.askForMail(client, ["dpop_jkt": key])
            self.link = link
            // The browser that waits is another one than the app.
            waiting = (app.cookies, page.fields)
            app.cookies = [:]
        }

        /// Logs in, so that there is a user, and begins another login with the same key.
        mutating func becomeUser() async throws -> SubjectID {
            _ = try await approve(by: phone)
            _ = await complete()
            app.side.clock.advance(seconds: 61)
            app.cookies = [:]
            try await ask()
            return try app.user()
        }

        /// The browser that waited goes on.
        mutating func complete() async -> Answer {
            app.cookies = waiting.cookies
            return await app.post("/login/complete", waiting.fields)
        }

        var hasBrowserSession: Bool { app.cookies["__Host-chancery_session"] != nil }

        /// A proof for the link, ready to be spoilt.
        var draft: Draft {
            let url = PageSide.origin + link.prefix { $0 != "?" }
            let payload = DPoPTests.payload("right", at: url)
            return Draft(phone: phone, header: phone.header("dpop+jwt"), payload: payload)
        }

        mutating func approve(with proof: String) async -> Answer {
            await app.send(.post, link, [("dpop", proof)])
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

    @Test("attack: key confusion: a proof that is none tells nothing of the device") func forged()
        async throws
    {
        var asked = try await Asked("denying")
        let before = asked.app.side.store.commits.count
        for row in KeyConfusionTests.rows {
            let answer = await asked.approve(with: try row.forge(asked.draft))
            #expect(answer.word == "403 LoginLinkApprovalDenied", "\(row.sentence)")
        }
        #expect(asked.app.side.store.commits.count == before)
        let answer = await asked.approve(with: try asked.draft.compact())
        #expect(answer["result"]?["status"]?.string == "approved", "\(answer.body)")
    }

    @Test("attack: the proof of one login approves the next one of that phone") func replay()
        async throws
    {
        var asked = try await Asked("denying")
        let proof = try asked.draft.compact()
        let first = await asked.approve(with: proof)
        #expect(first["result"]?["status"]?.string == "approved", "\(first.body)")
        // An address gets one mail a minute.
        asked.app.side.clock.advance(seconds: 61)
        try await asked.ask()
        let before = asked.app.side.store.commits.count
        let replay = await asked.approve(with: proof)
        #expect(replay.word == "400 BadRequest", "\(replay.body)")
        #expect(asked.app.side.store.commits.count == before)
        var fresh = asked.draft
        fresh.payload = fresh.payload.setting("jti", "fresh")
        let answer = await asked.approve(with: try fresh.compact())
        #expect(answer["result"]?["status"]?.string == "approved", "\(answer.body)")
    }

    @Test("with confirm it needs no number") func confirm() async throws {
        var asked = try await Asked("confirming")
        let other = try await asked.approve(by: nil)
        #expect(other["result"]?["status"]?.string == "confirmation_required")
        let answer = try await asked.approve(by: asked.phone)
        #expect(answer["result"]?["status"]?.string == "approved", "\(answer.body)")
    }

    @Test(
        "attack: a stranger's browser begins the login with the phone's key: it gets no session",
        arguments: ["denying", "confirming"]
    )
    func strangersBrowser(_ client: String) async throws {
        var asked = try await Asked(client)
        let answer = try await asked.approve(by: asked.phone)
        #expect(answer["result"]?["status"]?.string == "approved", "\(answer.body)")
        let done = await asked.complete()
        // The code is the phone's: whoever has it needs the key.
        #expect(done.location?.contains("code=") == true, "\(done.body)")
        #expect(!asked.hasBrowserSession)
    }

    @Test("where any device may approve, the browser that waits has a session as ever")
    func automatic() async throws {
        var asked = try await Asked("web")
        let answer = try await asked.approve(by: asked.phone)
        #expect(answer["result"]?["status"]?.string == "approved", "\(answer.body)")
        #expect(await asked.complete().location?.contains("code=") == true)
        #expect(asked.hasBrowserSession)
    }

    @Test("attack: that session at a client that wants more: the key was not the browser's")
    func strangersSession() async throws {
        var asked = try await Asked("web")
        _ = try await asked.approve(by: asked.phone)
        _ = await asked.complete()
        let own = await asked.app.get(PageSide.authorizeTarget("web"))
        #expect(own.location?.contains("code=") == true)
        for client in ["denying", "confirming"] {
            let other = await asked.app.get(PageSide.authorizeTarget(client))
            #expect(other.location?.hasPrefix("/login?tx=") == true, "\(client)")
        }
    }

    @Test("with nonces on, a proof without one learns it, approves nothing, and may come again")
    func nonces() async throws {
        var asked = try await Asked("denying")
        asked.app.side.reconfigure { $0.requiresDPoPNonce = true }
        let before = asked.app.side.store.commits.count
        let first = await asked.approve(with: try asked.draft.compact())
        #expect(first.status == 400 && asked.app.side.store.commits.count == before)
        let nonce = try #require(first.field("DPoP-Nonce").first)
        var draft = asked.draft
        draft.payload = draft.payload.setting("nonce", .string(nonce))
        let second = await asked.approve(with: try draft.compact())
        #expect(second["result"]?["status"]?.string == "approved", "\(second.body)")
        #expect(second.field("DPoP-Nonce").count == 1)
    }
}
