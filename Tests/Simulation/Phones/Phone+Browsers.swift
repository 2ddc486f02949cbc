import Domain
import InMemory
import Issuing
import OAuth

// What a phone opens in browsers: pre-authenticated URLs (WireContract 4.4, 5.7), pushed requests
// (4.6).
extension Phone {
    static let urlTokenType = "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"

    func openURL(_ login: Holding) async {
        guard let chain, let pass = chain.pass else { return }
        var plan = Deed.Plan(.urlExchange)
        plan.needs = [login.family]
        plan.secret = SecretUse(act: .url, shares: chain.shares, index: pass.index)
        plan.tokens = [pass.identity]
        if login.proofKey != nil, world.dice.strikes(250) {
            var wrong = plan
            wrong.isRight = false
            let thief = world.dice.strikes(500) ? SignedJWTs.key("thief") : nil
            _ = await ask(wrong, Self.exchange, urlFields(pass), as: "site", key: thief)
        }
        plan.counts = counting(login.session, at: "site")
        let asked = plan
        await race(1 + world.dice.draw(2)) { [self] in
            let url = model.artefact("URL token", seconds: 60)
            let answered = await ask(
                asked,
                Self.exchange,
                urlFields(pass),
                as: "site",
                key: login.proofKey
            )
            guard let tokens = answered.tokens, let text = tokens.opaque,
                let hint = tokens.identity
            else { return }
            chain.take(tokens)
            await visit(login, url, text, hint)
        }
    }

    private func urlFields(_ pass: Holding.Pass) -> [(String, String)] {
        exchangeFields(pass) + [("requested_token_type", Self.urlTokenType)]
    }

    private struct Visit: Sendable {
        var token: [UInt8]
        var hint: [UInt8]
        var client = "site"
        var isSameOrigin = true
    }

    private func visit(
        _ login: Holding,
        _ url: Artefact,
        _ token: [UInt8],
        _ hint: [UInt8]
    ) async {
        guard let chain else { return }
        var plan = Deed.Plan(.urlVisit)
        plan.needs = [login.family, chain.shares]
        plan.spends = [url]
        plan.tokens = [hint]
        if world.dice.strikes(300) {
            var wrong = plan
            wrong.isRight = false
            var visit = Visit(token: token, hint: hint)
            switch world.dice.draw(4) {
            case 0: visit.client = "annex"
            case 1: visit.token = Clients.damaged(token)
            case 2: visit.isSameOrigin = false
            default:
                let other = model.passes.first { $0.session != login.id }
                guard let other else { break }
                visit.hint = other.identity
            }
            if visit.hint != hint || visit.token != token || !visit.isSameOrigin
                || !visit.client.utf8.elementsEqual("site".utf8)
            {
                _ = await open(visit, wrong)
            }
        }
        if world.dice.strikes(120) { await revoke(login, ending: login.session) }
        let right = plan
        await race(width) { [self] in
            guard let opened = await open(Visit(token: token, hint: hint), right) else { return }
            let access = opened.access
            let thing = model.thing("web token", in: [login.session, chain.shares])
            webTokens.append((access.text, access.until, thing))
            await introspect(access, of: "site", on: thing)
            await goOn(login, with: opened.appSession, until: access.until)
        }
    }

    private struct Opened: Sendable {
        /// Of the web client.
        var access: (text: [UInt8], until: UInt64)
        var appSession: [UInt8]
    }

    /// What the browser got, if it did.
    private func open(_ visit: Visit, _ plan: Deed.Plan) async -> Opened? {
        let form = Self.form([
            ("client_id", visit.client), ("redirect_uri", "https://www.example.com/offers"),
            ("response_type", AuthorizationRequestReader.urlResponseType),
            ("response_mode", "cookie"), ("prompt", "none"),
            ("id_token_hint", Clients.text(visit.hint)),
            ("x_pre_authenticated_url_token", Clients.text(visit.token)), ("state", "s"),
        ])
        let number = model.begin(plan)
        let signer = installation.signer
        let reply = await clients.ask(installation.anyIssuer()) { node -> BrowserReply in
            guard let browser = Self.browser(at: node) else { return .unknown }
            let opening = OpenPreAuthenticatedURL(node.signIn, signer: signer)
            do throws(AuthorizationRefusal) {
                let opened = try await opening.open(form, browser, isSameOrigin: visit.isSameOrigin)
                return .visited(opened.accessToken, appSession: opened.appSession)
            } catch { return BrowserReply(error) }
        }
        model.end(number, (reply ?? .unknown).answer)
        guard case .visited(let text, let appSession) = reply,
            let claims = signer.reading(text)
        else { return nil }
        if !installation.checks.log.tokens.contains(claims.token) {
            model.broken("I16", "success without a commit", model.deeds[number])
        }
        let end = claims.expiresAt.microseconds - World.birth.microseconds
        return Opened(access: (text, UInt64(max(0, end)) * 1000), appSession: appSession)
    }

    // MARK: - Pushed requests

    /// One browser takes it, and may load it again.
    func push() async {
        let reference = model.artefact("request_uri", seconds: 60)
        let end = world.nanoseconds + 60_000_000_000
        guard let text = await pushed() else { return }
        var plan = Deed.Plan(.pushedRequest)
        plan.spends = [reference]
        if world.dice.strikes(300) {
            var wrong = plan
            wrong.isRight = false
            _ = await take(text, by: "guest", cookie: nil, wrong)
        }
        let asked = plan
        await race(width) { [self] in
            guard let cookie = await take(text, by: owner, cookie: nil, asked) else { return }
            var again = Deed.Plan(.reload)
            again.until = end
            if world.dice.strikes(400) { _ = await take(text, by: owner, cookie: cookie, again) }
            var other = Deed.Plan(.otherBrowser)
            other.isRight = false
            let strange = OpaqueToken(
                .transaction,
                stream: cookie.stream,
                secret: random.bytes(32),
                digester: installation.digester
            )
            _ = await take(text, by: owner, cookie: strange, other)
        }
    }

    private func pushed() async -> [UInt8]? {
        let form = Self.form([
            ("client_id", owner), ("redirect_uri", Fixtures.redirectURI),
            ("response_type", "code"), ("scope", "openid offline_access"), ("state", "s"),
            ("code_challenge", Self.codeChallenge), ("code_challenge_method", "S256"),
        ])
        let number = model.begin(Deed.Plan(.push))
        let (owner, signer) = (owner, installation.signer)
        let reply = await clients.ask(installation.anyIssuer()) { node -> BrowserReply in
            guard let caller = Clients.caller(owner, at: node) else { return .unknown }
            do throws(OAuthError) {
                let pushing = PushRequest(node.signIn, signer: signer)
                return .opened(
                    try await pushing.push(RequestParameters(form), from: caller).reference
                )
            } catch { return BrowserReply(.page(error)) }
        }
        model.end(number, (reply ?? .unknown).answer)
        if case .opened(let reference) = reply { return reference }
        return nil
    }

    /// The browser's binding secret once it has the request.
    private func take(
        _ reference: [UInt8],
        by client: String,
        cookie: OpaqueToken?,
        _ plan: Deed.Plan
    ) async -> OpaqueToken? {
        let form = Self.form([
            ("client_id", client), ("request_uri", Clients.text(reference)),
        ])
        let number = model.begin(plan)
        let signer = installation.signer
        let reply = await clients.ask(installation.anyIssuer()) { node -> BrowserReply in
            guard var browser = Self.browser(at: node) else { return .unknown }
            browser.transactions = cookie.map { [$0] } ?? []
            do throws(AuthorizationRefusal) {
                let answer = try await Authorize(node.signIn, signer: signer).start(form, browser)
                for case .transaction(let token) in answer.cookies { return .bound(token) }
                return .unknown
            } catch { return BrowserReply(error) }
        }
        model.end(number, (reply ?? .unknown).answer)
        if case .bound(let token) = reply { return token }
        return nil
    }

    // MARK: - Requests

    static func form(_ fields: [(String, String)]) -> Form {
        Form(fields: fields.map { Form.Field(name: Array($0.0.utf8), value: Array($0.1.utf8)) })
    }

    static func browser(at node: IssuerProcess) -> BrowserRequest? {
        guard let project = node.projects.all.first else { return nil }
        return BrowserRequest(
            project: project,
            deadline: node.clock.deadline(inMilliseconds: 3000),
            address: NetworkAddress(limitKey: [192, 0, 2, 8], network: "192.0.2.0/24")
        )
    }
}
