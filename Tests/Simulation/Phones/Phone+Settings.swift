import Domain
import Issuing
import OAuth

// An app opens our own pages in a browser (WireContract 9.6), and the user ends sessions there
// (9.5).
extension Phone {
    private static let appSessionURL = "https://auth.example.com/oauth2/app_session_token"
    private static let settingsURL = "https://auth.example.com/settings/sessions"

    func openSettings(_ login: Holding) async {
        if world.dice.strikes(250) { await askWrongly(login) }
        let artefact = model.artefact("token of pages", seconds: 60, usedError: .loginRequired)
        guard let token = login.tokens.last else { return }
        var asked = plan(.appSessionToken, login)
        asked.shown = Deed.Shown(
            family: login.family,
            generation: login.tokens.count - 1,
            ends: login.ends,
            use: .unrecorded
        )
        guard let text = await appSessionToken(token, login.proofKey, asked) else { return }
        var opening = plan(.ownPages, login)
        opening.spends = [artefact]
        let sibling = sibling(of: login)
        if world.dice.strikes(sibling == nil ? 300 : 800) {
            await openWrongly(text, opening, sibling)
        }
        if world.dice.strikes(120) { await revoke(login, ending: login.session) }
        let right = opening
        await race(width) { [self] in
            guard let cookie = await open(text, as: owner, right) else { return }
            await visit(with: cookie, login)
        }
    }

    // MARK: - The token

    private func appSessionToken(_ token: [UInt8], _ key: DeviceKey?, _ plan: Deed.Plan)
        async -> [UInt8]?
    {
        var plan = plan
        let proof = key.map { self.proof(of: $0, at: Self.appSessionURL) }
        if let proof { plan.spends.append(proof.artefact) }
        let number = model.begin(plan)
        let headers = proof.map { [$0.text] } ?? []
        let reply = await clients.ask(installation.anyIssuer()) {
            node -> Result<[UInt8], EnvelopeError>? in
            guard let project = node.projects.all.first else { return nil }
            let request = IssueAppSessionToken.Request(
                refreshToken: token,
                proof: DPoPProofs.Request(
                    headers: headers,
                    method: "POST",
                    url: Self.appSessionURL
                ),
                project: project,
                deadline: node.clock.deadline(inMilliseconds: 3000)
            )
            do throws(EnvelopeError) {
                return .success(try await node.grants.appSessionTokens.issue(request).text)
            } catch { return .failure(error) }
        }
        switch reply ?? nil {
        case .success(let text)?:
            model.end(number, .passed)
            return text
        case .failure(let error)?: model.end(number, Deed.Answer(error))
        case nil: model.end(number, .unknown)
        }
        return nil
    }

    /// None of these may pass.
    private func askWrongly(_ login: Holding) async {
        var plan = Deed.Plan(.appSessionToken)
        plan.isRight = false
        let guest = guests.last { $0.client.utf8.elementsEqual("guest".utf8) }
        if let guest, let token = guest.tokens.last, world.dice.strikes(600) {
            // An app without full access.
            _ = await appSessionToken(token, guest.proofKey, plan)
        } else if login.proofKey != nil, let token = login.tokens.last {
            let thief = world.dice.strikes(500) ? SignedJWTs.key("thief") : nil
            _ = await appSessionToken(token, thief, plan)
        }
    }

    // MARK: - Its one use

    /// The cookie, when the browser got one.
    private func open(
        _ token: [UInt8],
        as client: String,
        _ plan: Deed.Plan,
        isSameOrigin: Bool = true
    ) async -> [UInt8]? {
        let hint = "https://authgear.com/login_hint?type=app_session_token&app_session_token="
        let form = Self.form([
            ("client_id", client), ("redirect_uri", Self.settingsURL), ("response_type", "none"),
            ("prompt", "none"), ("login_hint", hint + Clients.text(token)),
        ])
        let number = model.begin(plan)
        let signer = installation.signer
        let reply = await clients.ask(installation.anyIssuer()) { node -> BrowserReply in
            guard let browser = Self.browser(at: node) else { return .unknown }
            let opening = OpenAppSession(node.signIn, signer: signer)
            do throws(AuthorizationRefusal) {
                let opened = try await opening.open(form, browser, isSameOrigin: isSameOrigin)
                return .opened(opened.appSession)
            } catch { return BrowserReply(error) }
        }
        model.end(number, (reply ?? .unknown).answer)
        if case .opened(let cookie) = reply { return cookie }
        return nil
    }

    /// Another app in this session: nothing but the token itself is against it.
    func sibling(of login: Holding) -> Holding? {
        guests.last { $0.id == login.id && $0.client.utf8.elementsEqual("sibling".utf8) }
    }

    /// None of these may pass, or use the token up.
    private func openWrongly(_ token: [UInt8], _ right: Deed.Plan, _ sibling: Holding?) async {
        var plan = right
        plan.isRight = false
        switch world.dice.draw(sibling == nil ? 3 : 6) {
        case 0:
            _ = await open(token, as: secondOwner, plan)
        case 3...: if let sibling { _ = await open(token, as: sibling.client, plan) }
        case 1: _ = await open(Clients.damaged(token), as: owner, plan)
        default: _ = await open(token, as: owner, plan, isSameOrigin: false)
        }
    }

    // MARK: - The pages

    private func visit(with cookie: [UInt8], _ login: Holding) async {
        guard let view = await view(cookie, login) else { return }
        if world.dice.strikes(300) {
            // The proof of another form.
            var wrong = plan(.settingsSignOut, login)
            wrong.isRight = false
            _ = await perform(.endSession(login.id), view.othersToken, cookie, wrong)
        }
        switch world.dice.draw(4) {
        case 0:
            let plan = othersPlan(.settingsOthers, login)
            let answer = await perform(.endOthers, view.othersToken, cookie, plan)
            await others(haveEnded: answer)
        case 1...2:
            guard let chosen,
                let shown = view.sessions.first(where: { $0.entry.session == chosen.id })
            else { return }
            var plan = plan(.settingsSignOut, login)
            plan.ends = [chosen.session]
            // Of itself it is done once that is over, whatever ended it.
            if chosen.id == login.id { (plan.leansOn, plan.needs) = (plan.needs, []) }
            // Its own end lets nobody ask for it twice.
            plan.leansOn.append(chosen.session)
            _ = await perform(.endSession(chosen.id), shown.formToken, cookie, plan)
            await refresh(chosen)
        default: await revoke(login, ending: login.session)
        }
        _ = await self.view(cookie, login)
    }

    private func view(_ cookie: [UInt8], _ login: Holding) async -> AccountSettings.View? {
        let number = model.begin(plan(.settings, login))
        let reply = await settings(cookie) { settings, browser throws(OAuthError) in
            try await settings.view(after: nil, browser)
        }
        model.end(number, reply.answer)
        guard case .view(let view) = reply else { return nil }
        judge(view.sessions.map(\.entry), view.next, number)
        return view
    }

    private func perform(
        _ action: AccountSettings.Action,
        _ formToken: [UInt8],
        _ cookie: [UInt8],
        _ plan: Deed.Plan
    ) async -> Deed.Answer {
        let number = model.begin(plan)
        let reply = await settings(cookie) { settings, browser throws(OAuthError) in
            _ = try await settings.perform(action, formToken: formToken, browser)
            return nil
        }
        model.end(number, reply.answer)
        return reply.answer
    }

    private enum SettingsReply: Sendable {
        case view(AccountSettings.View)
        case done
        case failed(Deed.Answer)

        var answer: Deed.Answer {
            if case .failed(let answer) = self { return answer }
            return .passed
        }
    }

    private func settings(
        _ cookie: [UInt8],
        _ body:
            @escaping @Sendable (AccountSettings, BrowserRequest) async throws(OAuthError) ->
            AccountSettings.View?
    ) async -> SettingsReply {
        let reply = await clients.ask(installation.anyIssuer()) { node -> SettingsReply in
            guard var browser = Self.browser(at: node) else { return .failed(.unknown) }
            let view = node.signIn.appSessions.read(cookie, in: browser.project)
            browser.appSessions = [view].compactMap(\.self)
            do throws(OAuthError) {
                let view = try await body(AccountSettings(node.signIn), browser)
                return view.map { .view($0) } ?? .done
            } catch { return .failed(PhoneReply(error).answer) }
        }
        return reply ?? .failed(.unknown)
    }
}
