import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// What an operator does for a user whose phone is gone (WireContract 9.5, 9.7 and 13.3).
@Suite("A user who calls: my phone is gone") struct LostPhoneRouteTests {
    private static let nobody = "80000000-0000-8000-8000-000000000000"
    private let web: WebSide
    private let admin: AdminSide
    private var side: TokenSide { web.side }
    private var user: String { "/admin/v1/subjects/\(side.subject)" }
    private var keys: String { "\(user)/biometric_keys" }

    init() async throws {
        web = try await WebSide()
        admin = try await AdminSide(on: web.side)
    }

    /// `members`: beside the reason.
    private func order(_ path: String, _ members: String = "") async throws -> Answer {
        let body = #"{"reason":"called at noon"\#(members)}"#
        return try await admin.send(.post, path, as: .operate, body: body)
    }

    private func end(_ id: SessionID) async throws -> Answer {
        try await order("/admin/v1/sessions/\(id)/end")
    }

    private func remove(_ kid: String) async throws -> Answer {
        try await order("\(keys)/remove", #","kid":"\#(kid)""#)
    }

    /// What the log says of the newest order's giver.
    private func expectOperator(sourceLocation: SourceLocation = #_sourceLocation) {
        let by = side.store.commits.last?.attributes
        #expect(by?.actor == .operator(name: "operate"), sourceLocation: sourceLocation)
        #expect(by?.reason == "called at noon", sourceLocation: sourceLocation)
        #expect(by?.subject == side.subject, sourceLocation: sourceLocation)
    }

    @Test("where am I signed in, on which phones, and which fingers log me in?")
    func lists() async throws {
        let finger = try await BiometricTests.User(web)
        _ = try await finger.authenticate(finger.jwt("authenticate"))
        let mine = try await DeviceNameTests.session(web, DeviceNameTests.pixel)
        let sid = try SessionAPITests.sid(of: mine, web)
        let list = try await admin.send(
            .get,
            "/admin/v1/sessions?subject=\(side.subject)",
            as: .read
        )
        let entries = try #require(list.result?["sessions"]?.array, "\(list.body)")
        let entry = try #require(entries.first { $0["sid"]?.string == sid.description })
        #expect(entry["device"] == "Google Pixel 8")
        let one = try await admin.send(.get, "/admin/v1/sessions/\(sid)", as: .read)
        #expect(one.result?["session"] == entry)
        let shown = try await admin.send(.get, keys, as: .read)
        let all = try #require(shown.result?["biometric_keys"]?.array, "\(shown.body)")
        #expect(all.map { $0["kid"]?.string } == [finger.kid])
        #expect(all.map { $0["sub"]?.string } == [side.subject.description])
        #expect(all.map { $0["client_id"] } == ["app"])
        #expect(all.first?["last_used_at"]?.string?.hasSuffix("Z") == true)
    }

    @Test("end the session of that phone; I go on with this one") func endsOne() async throws {
        let lost = try await SessionAPITests.session(web)
        let mine = try await SessionAPITests.session(web)
        let sid = try SessionAPITests.sid(of: lost, web)
        #expect(try await end(sid).body == #"{"result":{"was":"live"}}"#)
        #expect(try await !NativeSSOTests.isActive(web, lost))
        #expect(try await NativeSSOTests.isActive(web, mine))
        #expect(side.store.events(of: sid.stream).last == .offlineGrant(.revoked(.operator)))
        expectOperator()
        #expect(side.store.commits.last?.attributes.session == sid)
    }

    @Test("end that browser, and the apps that came from it") func endsBrowser() async throws {
        let app = try await side.redeem(side.code(browser: side.browser))
        let other = try await side.redeem(side.code())
        #expect(try await end(side.browser).body == #"{"result":{"was":"live"}}"#)
        #expect(
            side.store.events(of: side.browser.stream).last == .browserSession(.ended(.revoked))
        )
        #expect(side.store.allEvents.map(\.body).contains(.offlineGrant(.revoked(.operator))))
        #expect(try await !side.isActive(app.accessToken?.text))
        #expect(try await side.isActive(other.accessToken?.text))
        expectOperator()
    }

    @Test("a consent that cannot be read hides no session, and keeps none from its end")
    func unreadableConsent() async throws {
        var settings = side.project.settings
        settings.clients[0].consentRequired = true
        let client = settings.clients[0].id
        try await side.apply(settings)
        let consent = StreamNames(side.digester)
            .consent(side.subject, client, in: side.project.number)
        try await side.run(Consent.self, consent, for: side.subject) {
            .give(client, Sample.scope(AppSessionTokenTests.scope))
        }
        let mine = try await SessionAPITests.session(web)
        let sid = try SessionAPITests.sid(of: mine, web)
        side.store.spoil(consent)
        let list = try await admin.send(
            .get,
            "/admin/v1/sessions?subject=\(side.subject)",
            as: .read
        )
        let entries = try #require(list.result?["sessions"]?.array, "\(list.body)")
        #expect(entries.contains { $0["sid"]?.string == sid.description })
        // Yet it lets nobody in.
        let token = try #require(mine["refresh_token"]?.string)
        #expect(try await DPoPTests.refresh(web, token).status == 503)
        #expect(try await end(sid).body == #"{"result":{"was":"live"}}"#)
        #expect(side.store.events(of: sid.stream).last == .offlineGrant(.revoked(.operator)))
    }

    @Test("did you do it? It had ended; and one that nobody used for years had expired")
    func again() async throws {
        let sid = try SessionAPITests.sid(of: try await SessionAPITests.session(web), web)
        _ = try await end(sid)
        let late = try await web.expectNothingRecorded { try await end(sid) }
        #expect(late.body == #"{"result":{"was":"ended"}}"#)
        let old = try SessionAPITests.sid(of: try await SessionAPITests.session(web), web)
        side.clock.advance(seconds: 400 * 86_400)
        #expect(try await end(old).body == #"{"result":{"was":"expired"}}"#)
    }

    @Test("remove my finger on that phone: it logs nobody in, and its session is over")
    func removesOne() async throws {
        let finger = try await BiometricTests.User(web)
        let login = try await finger.authenticate(finger.jwt("authenticate"))
        let sid = try SessionAPITests.sid(of: login, web)
        let stream = StreamNames(side.digester).biometricKey(finger.kid, in: side.project.number)
        #expect(try await remove(finger.kid).body == #"{"result":{"removed":1}}"#)
        #expect(side.store.events(of: stream).last == .biometricKey(.disabled(.operator)))
        #expect(side.store.events(of: sid.stream).last == .offlineGrant(.revoked(.keyDisabled)))
        expectOperator()
        #expect(try await !NativeSSOTests.isActive(web, login))
        let again = try await finger.authenticate(finger.jwt("authenticate"))
        #expect(again["error_description"]?.string == "InvalidCredentials")
        #expect(try await DPoPTests.refresh(web, finger.refreshToken).status == 200)
        let late = try await web.expectNothingRecorded { try await remove(finger.kid) }
        #expect(late.body == #"{"result":{"removed":0}}"#)
    }

    @Test("it was stolen: no key of before logs in once I am enabled again") func removesAll()
        async throws
    {
        let fingers = [
            try await BiometricTests.User(web),
            try await BiometricTests.User(web, kid: "kid-0002"),
        ]
        for finger in fingers { _ = try await finger.authenticate(finger.jwt("authenticate")) }
        #expect(try await order("\(user)/disable").status == 200)
        #expect(try await order("\(keys)/remove_all").body == #"{"result":{"removed":2}}"#)
        expectOperator()
        side.clock.advance(seconds: 1)
        #expect(try await order("\(user)/enable").status == 200)
        for finger in fingers {
            let late = try await finger.authenticate(finger.jwt("authenticate"))
            #expect(late["error_description"]?.string == "InvalidCredentials")
        }
        let left = try await admin.send(.get, keys, as: .read)
        #expect(left.body == #"{"result":{"biometric_keys":[]}}"#)
        #expect(try await order("\(keys)/remove_all").body == #"{"result":{"removed":0}}"#)
    }

    @Test(
        "a key that cannot be read or removed hides and keeps no other, and is not told as removed",
        arguments: [true, false]
    )
    func damaged(_ isKey: Bool) async throws {
        let finger = try await BiometricTests.User(web)
        let other = try await BiometricTests.User(web, kid: "kid-0002")
        let login = try await finger.authenticate(finger.jwt("authenticate"))
        let name = StreamNames(side.digester).biometricKey(finger.kid, in: side.project.number)
        try side.store.spoil(isKey ? name : SessionAPITests.sid(of: login, web).stream)
        let shown = try await admin.send(.get, keys, as: .read)
        let all = try #require(shown.result?["biometric_keys"]?.array, "\(shown.body)")
        let expected = isKey ? ["kid-0002"] : [finger.kid, "kid-0002"]
        #expect(Set(all.compactMap { $0["kid"]?.string }) == Set(expected))
        #expect(shown.result?["unreadable"]?.integer == (isKey ? 1 : nil))
        let answer = try await order("\(keys)/remove_all")
        #expect(answer.status == 500 && answer.reason == "UnexpectedError", "\(answer.body)")
        let causes = try #require(answer["error"]?["info"]?["causes"]?.array, "\(answer.body)")
        #expect(causes.map { $0["location"]?.string } == ["removed", "unreadable"])
        #expect(causes.map { $0["details"]?["msg"]?.string } == ["1", "1"])
        let late = try await other.authenticate(other.jwt("authenticate"))
        #expect(late["error_description"]?.string == "InvalidCredentials")
    }

    @Test("it was a mistake: a key that nobody removed logs in once I am enabled again")
    func keepsAll() async throws {
        let finger = try await BiometricTests.User(web)
        #expect(try await order("\(user)/disable").status == 200)
        let shown = try await admin.send(.get, keys, as: .read)
        #expect(shown.result?["biometric_keys"]?.array?.count == 1)
        side.clock.advance(seconds: 1)
        #expect(try await order("\(user)/enable").status == 200)
        #expect(try await finger.authenticate(finger.jwt("authenticate")).status == 200)
    }

    @Test("what is not there is told by its name, and nothing changes") func absent() async throws {
        let stranger = try await web.somebodyElse()
        let other = try await BiometricTests.User(web, kid: "kid-0002", of: stranger)
        let key = #","kid":"kid-0002""#
        let gone = "/admin/v1/subjects/\(Self.nobody)"
        let rows: [(path: String, members: String, said: String)] = [
            ("/admin/v1/sessions/\(Sample.session(9))/end", "", "no such session"),
            ("/admin/v1/sessions/x/end", "", "no such session"),
            ("\(gone)/biometric_keys/remove", key, "no such subject"),
            ("\(gone)/biometric_keys/remove_all", "", "no such subject"),
            ("\(gone)/disable", "", "no such subject"),
            ("\(keys)/remove", key, "the subject has no such biometric key"),
            ("\(keys)/remove", #","kid":"kid-9999""#, "the subject has no such biometric key"),
        ]
        try await web.expectNothingRecorded {
            for row in rows {
                let answer = try await order(row.path, row.members)
                #expect(answer.status == 404, "\(row.path): \(answer.body)")
                #expect(answer["error"]?["message"]?.string == row.said, "\(row.path)")
            }
            let list = "/admin/v1/sessions?subject=\(Self.nobody)"
            for path in ["\(gone)/biometric_keys", list] {
                let unknown = try await admin.send(.get, path)
                #expect(unknown["error"]?["message"] == "no such subject", "\(path)")
            }
        }
        #expect(try await other.authenticate(other.jwt("authenticate")).status == 200)
    }

    @Test("another project's operator finds neither session nor user") func neighbour()
        async throws
    {
        let finger = try await BiometricTests.User(web)
        let sid = try SessionAPITests.sid(of: try await SessionAPITests.session(web), web)
        let shop = try SharedHostTests.project("shop", "shop.example.com", 2, beside: side)
        side.projects.replace(shop)
        try await web.expectNothingRecorded {
            for path in ["/admin/v1/sessions/\(sid)/end", "\(keys)/remove_all"] {
                #expect(try await order("\(path)?project=shop").status == 404)
            }
            let members = #","kid":"\#(finger.kid)""#
            let answer = try await order("\(keys)/remove?project=shop", members)
            #expect(answer["error"]?["message"] == "no such subject")
            let list = "/admin/v1/sessions?subject=\(side.subject)"
            for path in ["\(keys)?project=shop", "\(list)&project=shop"] {
                let answer = try await admin.send(.get, path)
                #expect(answer.status == 404, "\(path): \(answer.body)")
                #expect(answer["error"]?["message"] == "no such subject", "\(path)")
            }
            #expect(try await admin.send(.get, "\(list)&project=bank").status == 200)
            let one = "/admin/v1/sessions/\(sid)"
            for (more, status) in [("shop", 404), ("none", 404), ("bank", 200)] {
                let answer = try await admin.send(.get, "\(one)?project=\(more)")
                #expect(answer.status == status, "\(more): \(answer.body)")
            }
            let shown = try await admin.send(.get, one)
            #expect(shown.result?["session"]?["project"] == "bank", "\(shown.body)")
        }
        #expect(try await order("\(keys)/remove_all?project=bank").status == 200)
    }
}
