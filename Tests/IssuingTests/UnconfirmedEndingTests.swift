import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

/// Whoever looks, finds nothing left to do and runs no command: what the log shows may be lost yet
/// (decision 0234).
@Suite("What has ended, while the log may yet be lost") struct UnconfirmedEndingTests {
    private func logout(_ side: SignInSide) -> EndSession {
        EndSession(side.context, signer: side.signer)
    }

    /// Expects that `body` tells nobody that it is done, and does so once the log lasts.
    private func expectConfirmed<Value>(
        by store: InMemoryEventStore,
        _ body: () async throws -> Value
    ) async throws -> Value {
        store.isUnconfirmed = true
        await expect(refusal: .temporarilyUnavailable) { try await body() }
        store.isUnconfirmed = false
        return try await body()
    }

    @Test("a logout that names its session is not called done again") func hintedLogout()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let own = SessionID(try #require(browser.session).stream)
        let form = TestBrowser.form(["id_token_hint": try side.hint(own, side.registered())])
        let request = browser.request
        _ = try await logout(side).start(form, request)
        let again = try await expectConfirmed(by: side.store) {
            try await logout(side).start(form, request)
        }
        guard case .done(nil) = again else { return #expect(Bool(false), "\(again)") }
    }

    @Test("nor is one by its button, and its page does not say so") func pressedLogout()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let request = browser.request
        let page = try await logout(side).confirmation(nil, request)
        let token = page.formToken
        _ = try await logout(side).confirm(nil, formToken: token, request)
        let again = try await expectConfirmed(by: side.store) {
            try await logout(side).confirm(nil, formToken: token, request)
        }
        guard case .done(nil) = again else { return #expect(Bool(false), "\(again)") }
        let shown = try await expectConfirmed(by: side.store) {
            try await logout(side).confirmation(nil, request)
        }
        #expect(shown.reach == nil)
        // Of a browser that names no session nothing was looked at.
        side.store.isUnconfirmed = true
        let nobody = try await logout(side).confirmation(nil, TestBrowser(side).request)
        #expect(nobody.reach == nil)
    }

    @Test("nor is one of two presses, where something lies behind what its page showed")
    func behind() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let owner = try side.registered()
        let grant = try await side.openGrant(from: nil, owner)
        let form = TestBrowser.form(["id_token_hint": try side.hint(grant, owner)])
        let request = browser.request
        let answer = try await logout(side).start(form, request)
        guard case .confirm(let reference) = answer else {
            return #expect(Bool(false), "\(answer)")
        }
        let page = try await logout(side).confirmation(reference, request)
        let token = page.formToken
        _ = try await logout(side).confirm(reference, formToken: token, request)
        let again = try await expectConfirmed(by: side.store) {
            try await logout(side).confirm(reference, formToken: token, request)
        }
        guard case .done(nil) = again else { return #expect(Bool(false), "\(again)") }
    }

    @Test("nor is one whose button takes a view of an app away, where the login was over before")
    func besideAView() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let own = SessionID(try #require(browser.session).stream)
        let owner = try side.registered()
        try await side.decide(.end(.revoked), on: own.stream, BrowserSession.self, of: owner)
        var request = browser.request
        request.appSessions = [try await side.appSession(of: owner)]
        let page = try await logout(side).confirmation(nil, request)
        let token = page.formToken
        let answer = try await expectConfirmed(by: side.store) {
            try await logout(side).confirm(nil, formToken: token, request)
        }
        guard case .done(nil) = answer else { return #expect(Bool(false), "\(answer)") }
        // A browser with the view alone rests on nothing that has ended.
        request.session = nil
        let other = try await logout(side).confirmation(nil, request)
        side.store.isUnconfirmed = true
        _ = try await logout(side).confirm(nil, formToken: other.formToken, request)
    }

    @Test("a user who signs the settings page out hears so once it lasts") func settings()
        async throws
    {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.signIn()
        let request = browser.request
        let settings = AccountSettings(side.context)
        let view = try await settings.view(after: nil, request)
        let shown = try #require(view.sessions.first { $0.isCurrent })
        let action = AccountSettings.Action.endSession(shown.entry.session)
        let token = shown.formToken
        _ = try await settings.perform(action, formToken: token, request)
        let isSignedOut = try await expectConfirmed(by: side.store) {
            try await settings.perform(action, formToken: token, request)
        }
        #expect(isSignedOut)
    }

    @Test("a link that was approved is not called so again") func approval() async throws {
        let side = try await SignInSide()
        var browser = TestBrowser(side)
        _ = try await browser.enter(SignInSide.address, at: browser.authorize())
        let link = try await browser.presented()
        let request = browser.request
        try await side.approval.approve(link, by: .browser, number: nil, request)
        side.store.isUnconfirmed = true
        do throws(ApproveLoginLink.Refusal) {
            try await side.approval.approve(link, by: .browser, number: nil, request)
            Issue.record("it was called approved")
        } catch {
            guard case .failed(let why) = error else { throw error }
            #expect(why.code == .temporarilyUnavailable)
        }
        side.store.isUnconfirmed = false
        try await side.approval.approve(link, by: .browser, number: nil, request)
    }

    @Test("all sessions of a user, when none is left") func all() async throws {
        let side = try await TokenSide()
        let sessions = UserSessions(commands: side.commands, sealer: side.sealer)
        let request = CommandRequest(
            project: side.project,
            attributes: EventAttributes(actor: .subject(side.subject)),
            deadline: Fixture.noDeadline
        )
        #expect(try await sessions.endAll(of: side.subject, but: [], request: request) == 1)
        side.store.isUnconfirmed = true
        await #expect(throws: StoreError.unavailable) {
            try await sessions.endAll(of: side.subject, but: [], request: request)
        }
        side.store.isUnconfirmed = false
        #expect(try await sessions.endAll(of: side.subject, but: [], request: request) == 0)
    }

    @Test("all keys of a user, when none is left") func keys() async throws {
        let side = try await TokenSide()
        let devices = DeviceAdministration(commands: side.commands, sealer: side.sealer)
        let order = Order(
            in: side.project,
            by: Operator(name: "ops", role: .operate),
            reason: "a lost phone",
            deadline: Fixture.noDeadline
        )
        side.store.isUnconfirmed = true
        await #expect(throws: OperationError.store(.unavailable)) {
            try await devices.removeKeys(of: side.subject, by: order)
        }
        side.store.isUnconfirmed = false
        #expect(try await devices.removeKeys(of: side.subject, by: order).count == 0)
    }
}
