import Domain
import InMemory
import Issuing
import OAuth
import Runtime

// @unchecked: touched by the one thread that runs the simulation.
/// One person's phone: an app that holds the session, and the apps and browsers it lets in.
final class Phone: @unchecked Sendable {
    /// What it does in a run, beside refreshing.
    enum Flow: CaseIterable { case letIn, keys, share, open, push, bind }

    let clients: Clients
    let model: DeedModel
    let jwts: SignedJWTs
    let subject: SubjectID
    /// The owner of the session: `bank`, which cascades, or `shop`, which binds insecurely.
    let owner: String
    let name: String
    /// Nil: it proves no key.
    let proofKey: DeviceKey?
    let deviceKey: DeviceKey
    /// Ends with the user alone; another one when they are enabled again.
    var user: Thing
    /// What ends when they end all sessions but the one they ask from.
    var elsewhere: Thing
    /// What such an order may end that nobody heard of again, and that runs late.
    let strays: Thing
    var hasStrayed = false
    /// Whether they look after their sessions, by the API and in a browser.
    let tends: Bool
    /// Whether another site goes on in the browsers they open.
    let goesOn: Bool
    /// Whether they are disabled for a while.
    let isSuspended: Bool
    /// Nobody knows whether they are enabled again.
    var isLost = false
    /// For how its logins are approved.
    private var approvals: Dice
    /// For how often its keys let another app in, where that may be refused.
    private var lettings: Dice
    let flows: [Flow]
    /// Whether its logins bind the device key.
    private let bindsAtOnce: Bool
    let random: SeededEntropy
    private(set) var login: Holding?
    private(set) var chain: SecretChain?
    /// Every other app's part.
    var guests: [Holding] = []
    var keys: [SimulatedKey] = []
    /// Sessions that another site has been asked to go on with: once each, since its second login
    /// would be of the same stay.
    var continued: Set<SessionID> = []
    var webTokens: [(text: [UInt8], until: UInt64, thing: Thing)] = []
    private var made = 0
    var world: World { clients.world }
    var installation: Installation { clients.installation }

    init(_ name: String, of subject: SubjectID, _ clients: Clients, _ model: DeedModel) {
        self.name = name
        self.clients = clients
        self.model = model
        self.subject = subject
        jwts = clients.installation.jwts
        let world = clients.world
        owner = world.dice.strikes(500) ? "bank" : "shop"
        proofKey = world.dice.strikes(350) ? SignedJWTs.key("\(name)-dpop") : nil
        deviceKey = SignedJWTs.key("\(name)-device")
        user = model.thing("user")
        elsewhere = model.thing("elsewhere")
        strays = model.thing("strays")
        let first = Flow.allCases[world.dice.draw(Flow.allCases.count)]
        flows = Flow.allCases.filter { $0 == first || world.dice.strikes(350) }
        let isBank = owner.utf8.elementsEqual("bank".utf8)
        bindsAtOnce = isBank && flows.contains(.letIn) || world.dice.strikes(600)
        let number = name.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
        random = SeededEntropy(seed: world.seed ^ number)
        // Drawn apart, so that seeds without them stay what they were.
        approvals = Dice(seed: world.seed ^ number, purpose: 23)
        lettings = Dice(seed: world.seed ^ number, purpose: 24)
        var dice = Dice(seed: world.seed ^ number, purpose: 5)
        tends = dice.strikes(600)
        isSuspended = dice.strikes(200)
        goesOn = dice.strikes(500)
    }

    /// A name that no other thing of this run has.
    func fresh(_ kind: String) -> String {
        made += 1
        return "\(kind)-\(name)-\(made)"
    }

    /// How its next login is approved.
    func drawApproval() -> Approval {
        installation.policies.areDrawn ? Approval.drawn(by: &approvals) : .unrecorded
    }

    /// Whether a key lets another app in where the run's own dice say no: more often than in a seed
    /// whose clients take any login.
    func drawLetting() -> Bool { installation.policies.areDrawn && lettings.strikes(400) }

    /// That the newest login of a session, or that of a key, is to count at another client.
    func counting(
        _ thing: Thing,
        at client: String,
        refused error: OAuthError.Code = .unauthorizedClient
    ) -> Deed.Counting {
        let policy = installation.policies.policy(of: client)
        return Deed.Counting(thing: thing, policy: policy, error: error)
    }

    func live(turns: Int) async {
        guard await signIn() else { return }
        if tends, let login { await tend(login) }
        for turn in 0..<turns {
            await pause()
            if isSuspended, turn == turns / 2 { await suspend() }
            if isLost { return }
            if let login, model.hasEnded(login.session), !model.hasEnded(user) {
                await look()
                leave()
                guard await signIn() else { return }
            }
            guard let login else { return }
            if world.dice.strikes(300) { await refresh(login) }
            if world.dice.strikes(200) { await identify(login) }
            await act(flows[world.dice.draw(flows.count)], login)
            if tends, let login = self.login { await tend(login) }
        }
        guard let login, world.dice.strikes(400) else { return }
        await revoke(login, ending: login.session)
        await look()
    }

    /// What a session rests on that is not the one they ask from.
    func beside(_ things: [Thing]) -> [Thing] {
        things + [elsewhere] + (hasStrayed ? [strays] : [])
    }

    /// From now on every session is a former one.
    func leave() {
        if let login { guests.append(login) }
        login = nil
    }

    private func act(_ flow: Flow, _ login: Holding) async {
        switch flow {
        case .letIn: await letIn(login)
        case .keys: await useKeys(login)
        case .share: await share(login)
        case .open: await openURL(login)
        case .push: await push()
        case .bind: await rebind(login)
        }
    }

    private func pause() async {
        let milliseconds =
            switch world.dice.draw(16) {
            case 0: 9_000 + world.dice.draw(8_000)
            case 1: 28_000 + world.dice.draw(40_000)
            case 2...6: world.dice.draw(400)
            default: world.dice.draw(5)
            }
        await world.sleep(milliseconds: milliseconds, on: clients.process)
    }

    /// Logs in until it has heard so; a code whose answer was lost is gone.
    func signIn() async -> Bool {
        for _ in 0..<6 where login == nil {
            guard let code = await authorize(of: owner) else { continue }
            let session = model.thing("session", in: [user] + (hasStrayed ? [strays] : []))
            let family = model.thing("login", in: [session])
            var fields = [("code", code.text)]
            var plan = Deed.Plan(.signIn)
            plan.needs = [user]
            plan.spends = [code.artefact]
            plan.login = Deed.Login(thing: session, source: .approved(code.approval))
            if bindsAtOnce {
                guard let challenge = await challenge(.app2app) else { continue }
                plan.spends.append(challenge.artefact)
                plan.binds = (session, "device")
                let jwt = deviceJWT(challenge, by: deviceKey)
                fields.append(("x_app2app_device_key_jwt", jwt))
            }
            let reply = await redeem(fields, plan, as: owner, key: proofKey)
            guard let tokens = reply?.tokens, let access = tokens.access else { continue }
            let holding = Holding(
                owner,
                access.session,
                session,
                family,
                proofKey: proofKey,
                ends: [family, session],
                sharesSecret: true
            )
            holding.take(tokens)
            let chain = SecretChain(of: access.session, session, in: model)
            chain.take(tokens)
            (login, self.chain) = (holding, chain)
        }
        return login != nil
    }

    /// When all is well again everything answers: with tokens, or finally.
    func probe() async {
        await look()
        for key in keys { await authenticate(key, width: 1) }
        if let login, let pass = chain?.pass { await join("sibling", login, pass) }
        await look()
        if model.hasEnded(user), !isLost {
            // Nobody comes back by a login that was begun before.
            login = nil
            _ = await signIn()
        }
        compare()
    }

    /// Whether what it holds still works.
    func look() async {
        for holding in guests + [login].compactMap(\.self) {
            await refresh(holding)
            if let access = holding.accessTokens.last {
                await introspect(access, of: holding.client, on: holding.family)
            }
            await identify(holding)
        }
        for token in webTokens.suffix(3) {
            await introspect((token.text, token.until), of: "site", on: token.thing)
        }
    }

    /// What has ended is recorded as ended: the others hear it from the log (WireContract 9.7).
    private func compare() {
        for holding in guests + [login].compactMap(\.self)
        where model.isEnded(holding.session)
            && !installation.checks.log.isRevoked(holding.id)
        {
            installation.checks.broken("I4", "a \(holding.client)'s session was left open")
        }
    }
}
