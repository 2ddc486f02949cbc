import Domain
import InMemory
import Issuing
import OAuth

// Another site goes on in a browser that an app has let in (WireContract 4.3, seed 2, use case 2).
extension Phone {
    private static let site = "annex"
    private static let requestLife: UInt64 = 1_800_000_000_000

    /// What a browser carries from the page of a request on.
    private struct Request: Sendable {
        var id: StreamID
        var transaction: OpaqueToken
        /// The app's session, sealed.
        var appSession: [UInt8]
        /// Of the form that says "continue".
        var formToken: [UInt8] = []
    }

    /// Asks for a code of the app's session, agrees, and comes into it; once a session.
    ///
    /// `until`: when the browser's part in the session expires.
    func goOn(_ login: Holding, with appSession: [UInt8], until: UInt64) async {
        guard goesOn, continued.insert(login.id).inserted,
            let plan = plan(.otherSite, login),
            var request = await request(with: appSession, plan, login)
        else { return }
        let page = self.plan(.continuePage, login) ?? plan
        guard let formToken = await formToken(of: request, page) else { return }
        request.formToken = formToken
        guard var agreeing = self.plan(.agreement, login) else { return }
        agreeing.until = min(until, world.nanoseconds + Self.requestLife)
        let code = model.artefact("code", seconds: 60, usedError: .invalidGrant)
        agreeing.gives = Deed.Ending(code: code)
        if world.dice.strikes(400) { await agreeWrongly(request, agreeing) }
        if world.dice.strikes(100) { await revoke(login, ending: login.session) }
        await agreeBefore(login, request, agreeing)
        let (right, asked) = (agreeing, request)
        await race(width) { [self] in
            guard let text = await agree(asked, right) else { return }
            await come(in: login, by: Code(text: Clients.text(text), artefact: code))
        }
        // Redeemed, or perhaps.
        _ = await agree(request, agreeing)
    }

    /// Now and then the button is pressed before, and the answer lost.
    private func agreeBefore(_ login: Holding, _ request: Request, _ right: Deed.Plan) async {
        var dice = Dice(seed: world.seed &+ UInt64(model.deeds.count), purpose: 13)
        guard dice.strikes(600) else { return }
        await race(1 + dice.draw(3)) { [self] in _ = await agree(request, right) }
        switch dice.draw(6) {
        case 0...1: await revoke(login, ending: login.session)
        case 2: await agreeWrongly(request, right)
        case 3:
            let milliseconds = 50_000 + dice.draw(20_000)
            await world.sleep(milliseconds: milliseconds, on: clients.process)
        default: break
        }
    }

    private func plan(_ act: Deed.Act, _ login: Holding) -> Deed.Plan? {
        guard let chain else { return nil }
        var plan = Deed.Plan(act)
        plan.needs = [login.session, chain.shares]
        // What a code gives is not asked for it again.
        if act != .continuedCode {
            plan.counts = counting(login.session, at: Self.site, refused: .loginRequired)
        }
        return plan
    }

    /// None of these may pass, or use the request up.
    private func agreeWrongly(_ request: Request, _ right: Deed.Plan) async {
        var (plan, wrong) = (right, request)
        plan.isRight = false
        switch world.dice.draw(3) {
        case 0: wrong.formToken = Clients.damaged(request.formToken)
        case 1: wrong.appSession = Clients.damaged(request.appSession)
        default:
            wrong.transaction = OpaqueToken(
                .transaction,
                stream: request.transaction.stream,
                secret: random.bytes(32),
                digester: installation.digester
            )
        }
        _ = await agree(wrong, plan)
    }

    /// A family of the site in the session of the app, and no session of its own.
    private func come(in login: Holding, by code: Code) async {
        guard let chain, var plan = plan(.continuedCode, login) else { return }
        plan.spends = [code.artefact]
        let reply = await redeem([("code", code.text)], plan, as: Self.site)
        guard let reply, let tokens = reply.tokens, let access = tokens.access else { return }
        if access.session != login.id {
            model.broken("I2", "another session was continued", model.deeds[reply.number])
        }
        let family = model.thing(
            "site's login",
            in: [login.session, chain.shares],
            by: reply.number,
            of: code.artefact
        )
        let holding = Holding(
            Self.site,
            access.session,
            login.session,
            family,
            proofKey: nil,
            ends: [family]
        )
        holding.take(tokens)
        guests.append(holding)
        await introspect((access.text, access.until), of: Self.site, on: family)
        await refresh(holding)
        if world.dice.strikes(200) { await revoke(holding, ending: family) }
    }

    // MARK: - Requests

    private func request(with appSession: [UInt8], _ plan: Deed.Plan, _ login: Holding) async
        -> Request?
    {
        let form = Self.form([
            ("client_id", Self.site), ("redirect_uri", Fixtures.redirectURI),
            ("response_type", "code"), ("scope", "openid offline_access"), ("state", "s"),
            ("code_challenge", Self.codeChallenge), ("code_challenge_method", "S256"),
        ])
        let number = model.begin(plan)
        let signer = installation.signer
        let reply = await clients.ask(installation.anyIssuer()) { node -> BrowserReply in
            guard var browser = Self.browser(at: node) else { return .unknown }
            let view = node.signIn.appSessions.read(appSession, in: browser.project)
            browser.appSessions = [view].compactMap(\.self)
            do throws(AuthorizationRefusal) {
                let answer = try await Authorize(node.signIn, signer: signer).start(form, browser)
                guard case .selectAccount(let id) = answer.step else {
                    return .refused(.loginRequired)
                }
                for case .transaction(let token) in answer.cookies { return .asked(id, token) }
                return .unknown
            } catch { return BrowserReply(error) }
        }
        model.end(number, (reply ?? .unknown).answer)
        guard case .asked(let id, let token) = reply else {
            // It has not gone on: a later login of the session may count.
            let asked = model.deeds[number]
            if asked.isTooLax, asked.isRefused { continued.remove(login.id) }
            return nil
        }
        return Request(id: id, transaction: token, appSession: appSession)
    }

    private func formToken(of request: Request, _ plan: Deed.Plan) async -> [UInt8]? {
        let reply = await inBrowser(request, plan) { node, browser throws(OAuthError) in
            let pages = SignInPages(node.signIn)
            let page = try await pages.account(request.id, for: .select, browser)
            return page.map { .opened($0.formToken) } ?? .refused(.loginRequired)
        }
        if case .opened(let token) = reply { return token }
        return nil
    }

    /// The code, when there is one.
    private func agree(_ request: Request, _ plan: Deed.Plan) async -> [UInt8]? {
        let reply = await inBrowser(request, plan) { node, browser throws(OAuthError) in
            let posted = SignInContext.Posted(request: request.id, token: request.formToken)
            let answer = try await ContinueSignIn(node.signIn)
                .selectAccount(posted, usesOther: false, browser)
            guard case .respond(let response) = answer.step else {
                return .refused(.loginRequired)
            }
            let code = response.parameters.first { $0.name.utf8.elementsEqual("code".utf8) }
            return code.map { .opened(Array($0.value.utf8)) } ?? .refused(.accessDenied)
        }
        if case .opened(let code) = reply { return code }
        return nil
    }

    /// `reply`'s value is a code where the plan is to get one.
    private func inBrowser(
        _ request: Request,
        _ plan: Deed.Plan,
        _ body:
            @escaping @Sendable (IssuerProcess, BrowserRequest) async throws(OAuthError) ->
            BrowserReply
    ) async -> BrowserReply {
        let number = model.begin(plan)
        let reply = await clients.ask(installation.anyIssuer()) { node -> BrowserReply in
            guard var browser = Self.browser(at: node) else { return .unknown }
            browser.transactions = [request.transaction]
            let view = node.signIn.appSessions.read(request.appSession, in: browser.project)
            browser.appSessions = [view].compactMap(\.self)
            do throws(OAuthError) { return try await body(node, browser) } catch {
                return BrowserReply(.page(error))
            }
        }
        var code: [UInt8]?
        if case .opened(let value) = reply { code = value }
        model.end(number, (reply ?? .unknown).answer, code: code)
        return reply ?? .unknown
    }
}
