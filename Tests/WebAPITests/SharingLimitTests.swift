import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// How far a session is shared, and with whom (WireContract 5.6 and 5.7, Security 4.8, 4.9).
@Suite("Limits of sharing over HTTP") struct SharingLimitTests {
    /// A project with so many apps of one group beside `app`.
    static func web(apps count: Int) async throws -> WebSide {
        let web = try await WebSide(limits: [.refresh: .init(perMinute: 0)])
        var settings = web.side.project.settings
        let index = try #require(settings.clients.firstIndex { $0.id.text == "invest" })
        for number in 1...count {
            var app = settings.clients[index]
            app.id = Sample.client("app\(number)")
            settings.clients.append(app)
        }
        try await web.side.apply(settings)
        return web
    }

    static func join(_ web: WebSide, _ client: String, by host: Answer, secret: Answer)
        async throws -> Answer
    {
        var form = try NativeSSOTests.form(secret, client: client)
        form[3].1 = try #require(host["id_token"]?.string)
        return try await NativeSSOTests.send(web, form)
    }

    /// Has so many apps join, each by the id token of the one before, and gives the last answer.
    static func chain(_ web: WebSide, of session: Answer, to last: Int) async throws -> Answer {
        var host = session
        for number in 1...last {
            host = try await join(web, "app\(number)", by: host, secret: session)
            #expect(host.status == 200, "\(number): \(host.body)")
        }
        return host
    }

    @Test("a session is handed on four times, not five") func depth() async throws {
        let web = try await Self.web(apps: 5)
        let session = try await NativeSSOTests.session(web)
        let host = try await Self.chain(web, of: session, to: 4)
        let refused = try await web.expectNothingRecorded {
            try await Self.join(web, "app5", by: host, secret: session)
        }
        #expect(refused.word == "400 invalid_grant")
        #expect(refused.refusal?.id == "NS-007")
        // By a nearer one it comes in.
        #expect(try await Self.join(web, "app5", by: session, secret: session).status == 200)
    }

    @Test("sixteen clients share a session, not seventeen") func width() async throws {
        let web = try await Self.web(apps: 16)
        let session = try await NativeSSOTests.session(web)
        for number in 1...15 {
            let joined = try await Self.join(web, "app\(number)", by: session, secret: session)
            #expect(joined.status == 200, "\(number): \(joined.body)")
        }
        let refused = try await web.expectNothingRecorded {
            try await Self.join(web, "app16", by: session, secret: session)
        }
        #expect(refused.word == "400 invalid_grant")
        #expect(refused.refusal?.id == "NS-007")
    }

    @Test("two apps without a group share nothing") func noGroup() async throws {
        let web = try await WebSide()
        var settings = web.side.project.settings
        for index in settings.clients.indices { settings.clients[index].nativeSSOGroup = nil }
        try await web.side.apply(settings)
        let session = try await NativeSSOTests.session(web)
        let answer = try await web.expectNothingRecorded {
            try await NativeSSOTests.send(web, try NativeSSOTests.form(session))
        }
        #expect(answer.word == "400 unauthorized_client")
    }

    @Test("attack: the id token of a client that has left invites nobody") func left() async throws
    {
        let web = try await Self.web(apps: 1)
        let session = try await NativeSSOTests.session(web)
        let guest = try await Self.join(web, "invest", by: session, secret: session)
        let token = try #require(guest["refresh_token"]?.string)
        #expect(try await web.post("/oauth2/revoke", "token=\(token)").status == 200)
        let answer = try await web.expectNothingRecorded {
            try await Self.join(web, "app1", by: guest, secret: session)
        }
        #expect(answer.word == "400 unauthorized_client")
    }

    @Test("attack: an app that was thrown out of its session opens no site by its old id token")
    func thrownOut() async throws {
        let web = try await WebSide()
        let session = try await PreAuthenticatedURLTests.session(web)
        try await putOut(web, session)
        let answer = try await web.expectNothingRecorded {
            try await PreAuthenticatedURLTests.exchange(web, session)
        }
        #expect(answer.word == "400 unauthorized_client", "\(answer.body)")
    }

    @Test("attack: nor by the id token of its site, and a URL it asked for before opens nothing")
    func thrownOutSite() async throws {
        let web = try await WebSide()
        let session = try await PreAuthenticatedURLTests.session(web)
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
        try await putOut(web, session)
        let answer = try await web.expectNothingRecorded {
            try await PreAuthenticatedURLTests.exchange(web, exchanged)
        }
        #expect(answer.word == "400 unauthorized_client", "\(answer.body)")
        #expect(answer.refusal?.id == "PU-001")
        let opened = try await web.expectNothingRecorded {
            try await PreAuthenticatedURLTests.open(web, exchanged)
        }
        #expect(opened.word == "303 invalid_request")
        #expect(opened.field("Set-Cookie") == [])
    }

    @Test("attack: nor does another app by the id token of its site") func thrownOutToken()
        async throws
    {
        let web = try await WebSide()
        let session = try await PreAuthenticatedURLTests.session(web)
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
        try await putOut(web, session)
        let answer = try await web.expectNothingRecorded {
            try await NativeSSOTests.send(web, NativeSSOTests.form(exchanged))
        }
        #expect(answer.word == "400 unauthorized_client", "\(answer.body)")
        #expect(answer.refusal?.id == "NS-005")
    }

    @Test("attack: a web client without the switch gets no URL") func switchedOff() async throws {
        let web = try await WebSide()
        var settings = web.side.project.settings
        let place = settings.clients.firstIndex { $0.id.text == "offers" }
        settings.clients[try #require(place)].preAuthenticatedURL = nil
        let session = try await PreAuthenticatedURLTests.session(web)
        try await web.side.apply(settings)
        let answer = try await web.expectNothingRecorded {
            try await PreAuthenticatedURLTests.exchange(web, session)
        }
        #expect(answer.word == "400 unauthorized_client", "\(answer.body)")
    }

    @Test("attack: nor does it come back by the secret and the id token of a guest")
    func thrownOutAgain() async throws {
        let web = try await WebSide()
        let session = try await NativeSSOTests.session(web)
        let guest = try await Self.join(web, "invest", by: session, secret: session)
        try await putOut(web, session)
        let answer = try await web.expectNothingRecorded {
            try await Self.join(web, "app", by: guest, secret: session)
        }
        #expect(answer.word == "400 unauthorized_client", "\(answer.body)")
        #expect(answer.refusal?.id == "NS-005")
        #expect(try await Self.join(web, "invest", by: guest, secret: session).status == 200)
    }

    private func putOut(_ web: WebSide, _ session: Answer) async throws {
        let id = try CascadeTests.session(of: #require(session["refresh_token"]?.string), web)
        try await web.side.run(OfflineGrant.self, id.stream) {
            .share(.leave(Sample.client("app"), .reuse))
        }
    }

    @Test("attack: who redeems a renewal's code first keeps nothing of it when the app comes")
    func stolenRenewal() async throws {
        let web = try await Self.web(apps: 1)
        let session = try await NativeSSOTests.session(web)
        let guest = try await Self.join(web, "invest", by: session, secret: session)
        let token = try #require(session["refresh_token"]?.string)
        let id = try CascadeTests.session(of: token, web)
        web.side.clock.advance(seconds: 1)
        let code = try await web.side.code(
            scope: "openid offline_access device_sso",
            renewing: id
        )
        let stolen = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        let thief = try await Self.join(web, "app1", by: stolen, secret: stolen)
        #expect(thief.status == 200, "\(thief.body)")
        web.side.clock.advance(seconds: 11)
        let replay = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(replay.error == "invalid_grant")
        func refresh(_ answer: Answer, _ client: String) async throws -> Int {
            let text = answer["refresh_token"]?.string
            return try await NativeSSOTests.refresh(web, text, client: client).status
        }
        #expect(try await refresh(thief, "app1") == 400)
        #expect(try await Self.join(web, "app1", by: stolen, secret: stolen).status == 400)
        #expect(try await refresh(guest, "invest") == 200)
        #expect(try await refresh(session, "app") == 200)
    }

    @Test("attack: nor the device secret that was being handed over as the code was redeemed")
    func stolenHandOver() async throws {
        let web = try await Self.web(apps: 1)
        let session = try await NativeSSOTests.session(web)
        let guest = try await Self.join(web, "invest", by: session, secret: session)
        let token = try #require(session["refresh_token"]?.string)
        let refreshed = try await NativeSSOTests.refresh(web, token, client: "app")
        #expect(refreshed["device_secret"] != session["device_secret"])
        web.side.clock.advance(seconds: 30)
        let code = try await web.side.code(
            scope: "openid offline_access device_sso",
            renewing: CascadeTests.session(of: token, web)
        )
        let stolen = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(stolen["device_secret"] == refreshed["device_secret"])
        let thief = try await Self.join(web, "app1", by: stolen, secret: stolen)
        #expect(thief.status == 200, "\(thief.body)")
        web.side.clock.advance(seconds: 11)
        let replay = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
        #expect(replay.error == "invalid_grant")
        for (answer, client, status) in [
            (thief, "app1", 400), (guest, "invest", 200), (refreshed, "app", 200),
        ] {
            let text = answer["refresh_token"]?.string
            let again = try await NativeSSOTests.refresh(web, text, client: client)
            #expect(again.status == status, "\(client): \(again.body)")
        }
        #expect(try await Self.join(web, "app1", by: stolen, secret: stolen).status == 400)
    }

    @Test("a first client that has not opted in, and a project without a domain, open no URL")
    func optedOut() async throws {
        for isDomain in [false, true] {
            let web = try await WebSide()
            let session = try await PreAuthenticatedURLTests.session(web)
            let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
            let enabled = web.side.project.settings
            var settings = enabled
            if isDomain { settings.cookieDomain = nil }
            if !isDomain { settings.clients[0].preAuthenticatedURL = nil }
            try await web.side.apply(settings)
            let answer = try await web.expectNothingRecorded {
                try await PreAuthenticatedURLTests.exchange(web, exchanged)
            }
            #expect(answer.word == "400 unauthorized_client")
            guard isDomain else { continue }
            let opened = try await web.expectNothingRecorded {
                try await PreAuthenticatedURLTests.open(web, exchanged)
            }
            #expect(opened.word == "303 unauthorized_client")
            #expect(opened.field("Set-Cookie") == [])
            try await web.side.apply(enabled)
            let later = try await PreAuthenticatedURLTests.open(web, exchanged)
            #expect(later.field("Set-Cookie").count == 2)
        }
    }

    @Test("what opens a URL is two events, once; what comes again is none") func events()
        async throws
    {
        let web = try await WebSide()
        let session = try await PreAuthenticatedURLTests.session(web)
        let exchanged = try await PreAuthenticatedURLTests.exchange(web, session)
        let before = web.commits
        _ = try await PreAuthenticatedURLTests.open(web, exchanged)
        #expect(web.commits == before + 1)
        let events = web.newestEvents(after: before).map { event in
            switch event {
            case .preAuthenticatedURL(.consumed): "consumed"
            case .offlineGrant(.accessTokenIssued(let issue)): "\(issue.via)"
            default: "\(event)"
            }
        }
        #expect(events.sorted() == ["consumed", "preAuthenticatedURL"])
        let again = try await web.expectNothingRecorded {
            try await PreAuthenticatedURLTests.open(web, exchanged)
        }
        #expect(again.word == "303 invalid_request")
    }
}
