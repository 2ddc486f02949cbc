import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A client that leaves the configuration takes what it had with it (WireContract 3.2).
@Suite("A client that was removed") struct RemovedClientTests {
    private let side: TokenSide
    private let app: ClientID

    init() async throws {
        side = try await TokenSide()
        app = try Fixture.some(ClientID("app"))
    }

    private func remove(_ client: ClientID) async throws {
        var settings = side.project.settings
        settings.clients.removeAll { $0.id == client }
        try await side.apply(settings)
    }

    private func isRefused(_ body: () async throws -> TokenResponse) async -> Bool {
        do {
            _ = try await body()
            return false
        } catch { return (error as? OAuthError)?.code == .invalidGrant }
    }

    @Test("and put back revives no token and no session; a new login is one") func back()
        async throws
    {
        let old = try await side.redeem(side.code())
        try await remove(app)
        #expect(try await !side.isActive(old.accessToken?.text))
        side.clock.advance(seconds: 1)
        try await side.apply(side.project.settings)
        #expect(try await !side.isActive(old.accessToken?.text))
        #expect(await isRefused { try await side.refresh(old.refreshToken) })
        let new = try await side.redeem(side.code())
        #expect(try await side.isActive(new.accessToken?.text))
        #expect(try await side.refresh(new.refreshToken).accessToken != nil)
        #expect(await isRefused { try await side.refresh(old.refreshToken) })
    }

    @Test("and put back revives no token of a service either") func service() async throws {
        let api = try Fixture.some(ClientID("api"))
        func token() async throws -> [UInt8] {
            let caller = try side.caller("api")
            let form = RequestParameters(["grant_type": "client_credentials"])
            let answer = try await side.endpoint.respond(to: form, from: caller)
            return try #require(answer.accessToken?.text)
        }
        let old = try await token()
        #expect(try await side.isActive(old))
        let settings = try #require(side.projects.project(id: side.project.settings.id)).settings
        try await remove(api)
        side.clock.advance(seconds: 1)
        try await side.apply(settings)
        #expect(try await !side.isActive(old))
        side.clock.advance(seconds: 1)
        #expect(try await side.isActive(token()))
    }

    @Test("and put back redeems no code of before") func code() async throws {
        let old = try await side.code()
        try await remove(app)
        side.clock.advance(seconds: 1)
        try await side.apply(side.project.settings)
        #expect(await isRefused { try await side.redeem(old) })
        #expect(try await side.redeem(side.code()).accessToken != nil)
    }

    @Test("and put back comes into a session anew, and what it had there stays dead")
    func guest() async throws {
        let web = try await WebSide()
        let session = try await NativeSSOTests.session(web)
        let form = try NativeSSOTests.form(session)
        let old = try await NativeSSOTests.send(web, form)
        #expect(old.status == 200)
        let settings = web.side.project.settings
        var without = settings
        without.clients.removeAll { $0.id.text == "invest" }
        try await web.side.apply(without)
        web.side.clock.advance(seconds: 1)
        try await web.side.apply(settings)
        web.side.clock.advance(seconds: 1)
        let by = try await NativeSSOTests.send(web, try NativeSSOTests.form(old))
        #expect(by["error"] == "invalid_grant", "by the id token of its part that is over")
        let new = try await NativeSSOTests.send(web, form)
        #expect(new.status == 200, "\(new.body)")
        #expect(try await NativeSSOTests.isActive(web, new))
        #expect(try await !NativeSSOTests.isActive(web, old))
        let token = old["refresh_token"]?.string
        let refreshed = try await NativeSSOTests.refresh(web, token, client: "invest")
        #expect(refreshed["error"] == "invalid_grant")
        #expect(try await NativeSSOTests.isActive(web, session))
    }

    @Test("refuses with it whom it let in, where it said so, and all that it gave codes to")
    func owner() async throws {
        for cascades in [true, false] {
            let web = try await CascadeTests.cascading()
            let id = web.side.project.settings.id
            var settings = try #require(web.side.projects.project(id: id)).settings
            settings.clients[0].app2app = .init(cascades: cascades)
            try await web.side.apply(settings)
            let owner = try await CascadeTests.Holder(web, web.side.code())
            let target = try await owner.letIn("other")
            let code = try await owner.code(for: "other")
            func states() async throws -> [Bool] {
                let project = try #require(web.side.projects.project(id: id))
                let sessions = UserSessions(commands: web.side.commands, sealer: web.side.sealer)
                let (user, sid) = (web.side.subject, try target.session())
                let by = Fixture.noDeadline
                return [
                    try await web.side.isActive(Array(target.accessToken.utf8)),
                    try await sessions.entry(sid, of: user, in: project, by: by) != nil,
                ]
            }
            func redeem() async throws -> Answer {
                try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "other")
            }
            #expect(try await states() == [true, true])
            var without = settings
            without.clients.removeAll { $0.id == app }
            for isBack in [false, true] {
                web.side.clock.advance(seconds: 1)
                try await web.side.apply(isBack ? settings : without)
                #expect(try await states() == [!cascades, !cascades])
                let refused = try await web.expectNothingRecorded(by: redeem)
                #expect(refused.error == "invalid_grant")
            }
            #expect(try await target.refresh().status == (cascades ? 400 : 200))
        }
    }

    @Test("and put back is not held to be gone by a node that has not heard of it")
    func unheard() async throws {
        let web = try await CascadeTests.cascading()
        let id = web.side.project.settings.id
        let settings = try #require(web.side.projects.project(id: id)).settings
        var without = settings
        without.clients.removeAll { $0.id == app }
        try await web.side.apply(without)
        let old = try #require(web.side.projects.project(id: id))
        web.side.clock.advance(seconds: 1)
        try await web.side.apply(settings)
        let new = try #require(web.side.projects.project(id: id))
        let owner = try await CascadeTests.Holder(web, web.side.code())
        let target = try await owner.letIn("other")
        let code = try await owner.code(for: "other")
        let asks: [() async throws -> Int] = [
            { try await web.side.isActive(Array(target.accessToken.utf8)) ? 200 : 0 },
            { try await target.refresh().status },
            {
                let jwt: String? = nil
                return try await DeviceKeyTests.redeem(web, code: code, jwt: jwt, client: "other")
                    .status
            },
        ]
        for ask in asks {
            web.side.projects.replace(old)
            web.side.projects.replaceLater(new)
            #expect(try await ask() == 200)
        }
    }

    @Test("ends nothing of the others, and only a pause of its own comes back") func others()
        async throws
    {
        let own = try await side.redeem(side.code())
        let others = try await side.redeem(side.code(for: "other"), by: "other")
        try await remove(app)
        #expect(try await side.isActive(others.accessToken?.text))
        side.clock.advance(seconds: 1)
        try await side.apply(side.project.settings)
        #expect(try await side.refresh(others.refreshToken, by: "other").accessToken != nil)
        // Disabled is not removed: its sessions wait.
        var settings = side.project.settings
        for index in settings.clients.indices where settings.clients[index].id.text == "other" {
            settings.clients[index].enabled = false
        }
        let waiting = try await side.redeem(side.code(for: "other"), by: "other")
        try await side.apply(settings)
        #expect(try await !side.isActive(waiting.accessToken?.text))
        side.clock.advance(seconds: 1)
        try await side.apply(side.project.settings)
        #expect(try await side.isActive(waiting.accessToken?.text))
        #expect(try await !side.isActive(own.accessToken?.text))
    }

    @Test("what stands on its part in a session is void; a later part is not") func parts() throws {
        let opened = Sample.time(10)
        var session = OfflineGrant.Session(
            opening: OfflineGrant.Opening(
                subject: side.subject,
                client: app,
                scope: .empty,
                authentication: Authentication(methods: [.otp], at: opened),
                via: .code,
                parent: Parent(kind: .code, stream: side.subject.stream),
                browserSession: nil,
                openedAt: opened,
                expiresAt: Sample.time(99),
                idleMilliseconds: 0
            )
        )
        let guest = try Fixture.some(ClientID("other"))
        session.clients.append(
            OfflineGrant.KnownClient(
                client: guest,
                via: .nativeSSO,
                depth: 1,
                since: Sample.time(20)
            )
        )
        func project(_ since: [ClientID: Instant]) -> Project {
            let now = side.project
            return Project(
                number: now.number,
                settings: now.settings,
                digest: now.digest,
                configuration: now.configuration,
                clientsSince: since,
                keys: now.keys,
                keysStream: now.keysStream,
                keysVersion: now.keysVersion
            )
        }
        #expect(project([:]).honours(app, in: session))
        #expect(project([app: opened]).honours(app, in: session))
        #expect(!project([app: Sample.time(11)]).honours(app, in: session))
        #expect(project([app: Sample.time(11)]).honours(guest, in: session))
        #expect(project([guest: Sample.time(20)]).honours(guest, in: session))
        #expect(!project([guest: Sample.time(21)]).honours(guest, in: session))
        let stranger = try Fixture.some(ClientID("web"))
        #expect(project([stranger: Sample.time(50)]).honours(stranger, in: session))
        session.clients.removeAll { $0.client == app }
        #expect(!project([app: Sample.time(11)]).honours(app, in: session))
    }
}
