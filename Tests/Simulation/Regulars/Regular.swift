import Domain
import InMemory
import Issuing
import OAuth

// @unchecked: touched by the one thread that runs the simulation.
/// Somebody who comes back: one address, a browser that keeps its cookies (WireContract 4.3, 7,
/// 9.4).
final class Regular: @unchecked Sendable {
    /// The login of a browser.
    struct Login {
        /// Ends by a logout alone.
        let session: Thing
        /// Good until the next login in this browser takes its place.
        let value: Thing
        /// Whose approval it has.
        let approved: Thing
        /// How near that was, to this browser.
        let approval: Approval
        let cookie: OpaqueToken
    }

    /// A client of the project's own, and one that its users must agree to.
    static let (own, partner) = ("diary", "partner")

    let clients: Clients
    let model: DeedModel
    let address = "regular@example.com"
    // Apart, so that seeds without them stay what they were.
    var dice: Dice
    private var approvals: Dice
    /// For whether an app approves.
    private var apps: Dice
    /// Of this browser.
    var transaction: OpaqueToken?
    var login: Login?
    /// Cookies that another has taken the place of.
    private var former: [OpaqueToken] = []
    /// What a request may end that nobody heard of again, and that runs late.
    let strays: Thing
    var hasStrayed = false
    /// Whether each mail there is, is one that somebody knows of.
    var isClear = true
    /// What a refusal may be due to when it is not.
    let doubt: Thing
    /// Links that came by mail.
    var read: [[UInt8]] = []
    /// What they have agreed to with `partner`; nil before, and when they have taken it back.
    var consent: Thing?
    /// Whether nobody knows that.
    var isConsentUnclear = false
    private var holdings: [Holding] = []
    /// Id tokens by the login they came from.
    private var identities: [(login: Thing, text: [UInt8])] = []
    private(set) var subject: SubjectID?
    var world: World { clients.world }
    var installation: Installation { clients.installation }

    /// Nil in a seed without: every second one has one.
    init?(_ clients: Clients) {
        dice = Dice(seed: clients.world.seed, purpose: 18)
        approvals = Dice(seed: clients.world.seed, purpose: 23)
        apps = Dice(seed: clients.world.seed, purpose: 24)
        guard dice.strikes(500) else { return nil }
        self.clients = clients
        model = clients.sharedModel()
        strays = model.thing("strays")
        doubt = model.thing("doubt")
        var unheard = Deed.Plan(.unheard)
        unheard.perhapsEnds = [doubt]
        model.end(model.begin(unheard), .unknown)
    }

    /// How the next login is approved, as its client lets it be; nil: by an app, as always in a
    /// seed whose clients take any login.
    func drawApproval() -> Approval? {
        let policies = installation.policies
        guard policies.areDrawn else { return nil }
        if approvals.strikes(400) { return Approval.here }
        switch policies.policy(of: Self.own) {
        // At the others what an app's key approves opens no browser-session (decision 0108).
        case .automatic: return apps.strikes(500) ? nil : Approval.tap
        case .confirm: return Approval.number
        case .deny: return Approval.here
        }
    }

    func live(turns: Int) async {
        _ = await logIn()
        for _ in 0..<(2 * turns) {
            await pause()
            await act()
        }
    }

    /// When all is well again everything answers.
    func probe() async {
        for holding in holdings { await refresh(holding) }
        await comeBack()
        for holding in holdings
        where model.isEnded(holding.session)
            && !installation.checks.log.isRevoked(holding.id)
        {
            installation.checks.broken("I4", "a session was left open by its browser's logout")
        }
    }

    private func pause() async {
        let milliseconds = dice.strikes(150) ? 9_000 + dice.draw(30_000) : dice.draw(400)
        await world.sleep(milliseconds: milliseconds, on: clients.process)
    }

    private func act() async {
        guard login != nil else {
            _ = await logIn()
            return
        }
        switch dice.draw(12) {
        case 0...2: await comeBack()
        case 3...5: await visitPartner()
        case 6...7: _ = await logIn(prompt: "login")
        case 8: await comeBackWithFormerCookie()
        case 9: await logOut()
        case 10: leaveBrowser()
        default: if let holding = holdings.last { await refresh(holding) }
        }
    }

    // MARK: - Coming back

    /// The login of this browser counts: no page asks anything (4.3).
    private func comeBack() async {
        guard let login else { return }
        var plan = Deed.Plan(.comingBack)
        plan.needs = [login.value]
        let code = model.artefact("code", seconds: 60, usedError: .invalidGrant)
        let number = model.begin(plan)
        let heard = await authorize(Self.own, prompt: dice.strikes(500) ? "none" : nil)
        model.end(number, heard.answer)
        if let text = heard.code { await redeem(text, code, as: Self.own, by: login.session) }
    }

    /// A cookie that was replaced, or whose login is over, is none.
    private func comeBackWithFormerCookie() async {
        guard !former.isEmpty else { return }
        var plan = Deed.Plan(.formerCookie)
        plan.isRight = false
        let number = model.begin(plan)
        let cookie = former[dice.draw(former.count)]
        model.end(number, await authorize(Self.own, prompt: "none", with: cookie).answer)
    }

    /// The same person at another browser: their address is known.
    private func leaveBrowser() { (transaction, login) = (nil, nil) }

    // MARK: - Logout

    /// From the answer on nothing of this login passes, here or in an app (9.4, 9.7).
    private func logOut() async {
        guard let login else { return }
        var plan = Deed.Plan(.logout)
        // A cookie that was perhaps replaced says perhaps nothing.
        if hasStrayed { plan.perhapsEnds = [login.session] } else { plan.ends = [login.session] }
        let hint = identities.last { $0.login == login.session }
        var fields: [(String, String)] = []
        if let hint, dice.strikes(500) { fields = [("id_token_hint", Clients.text(hint.text))] }
        let form = Phone.form(fields)
        let number = model.begin(plan)
        let heard = await page { node, browser throws(OAuthError) in
            let ending = EndSession(node.signIn, signer: node.signer)
            guard case .confirm(let reference) = try await ending.start(form, browser) else {
                return Heard(.done)
            }
            let token = try await ending.confirmation(reference, browser).formToken
            _ = try await ending.confirm(reference, formToken: token, browser)
            return Heard(.done)
        }
        model.end(number, heard.answer)
        guard heard.answer == .passed, !hasStrayed else { return }
        await comeBack()
        for holding in holdings { await refresh(holding) }
        forget(login)
    }

    // MARK: - What a login leaves

    /// The browser has another cookie instead.
    func forget(_ login: Login) {
        former.append(login.cookie)
        self.login = nil
    }

    /// `agreed`: the consent that the client needs.
    func redeem(
        _ text: [UInt8],
        _ code: Artefact,
        as client: String,
        by login: Thing?,
        _ agreed: Thing? = nil
    ) async {
        let session = model.thing("session", in: [login].compactMap(\.self))
        // Beside the session: where a withdrawal could not end that, nothing of it passes either.
        let family = model.thing("app's login", in: [session] + [agreed].compactMap(\.self))
        var plan = Deed.Plan(.redemption)
        plan.needs = [login, agreed].compactMap(\.self)
        plan.spends = [code]
        let fields = [
            ("grant_type", "authorization_code"), ("code", Clients.text(text)),
            ("redirect_uri", Fixtures.redirectURI), ("code_verifier", Clients.verifier),
        ]
        guard let tokens = await ask(plan, fields, as: client), let access = tokens.access else {
            return
        }
        let holding = Holding(
            client,
            access.session,
            session,
            family,
            proofKey: nil,
            ends: [family, session]
        )
        holding.take(tokens)
        holdings.append(holding)
        if let login, let text = tokens.identity { identities.append((login, text)) }
        let owner = installation.checks.log.issuance.subject(of: access.session)
        if let subject, owner != subject {
            installation.checks.broken("I1", "one address belongs to two users")
        }
        subject = owner
    }

    /// The sessions of a client that it has heard of.
    func sessions(of client: String) -> [SessionID] {
        holdings.filter { $0.client.utf8.elementsEqual(client.utf8) }.map(\.id)
    }

    private func refresh(_ holding: Holding) async {
        guard let token = holding.tokens.last else { return }
        var plan = Deed.Plan(.refresh)
        plan.needs = [holding.family]
        plan.shown = Deed.Shown(
            family: holding.family,
            generation: holding.tokens.count - 1,
            ends: holding.ends,
            use: .replaced
        )
        let fields = [("grant_type", "refresh_token"), ("refresh_token", Clients.text(token))]
        if let tokens = await ask(plan, fields, as: holding.client) { holding.take(tokens) }
    }
}
