import Domain
import InMemory
import Issuing
import OAuth

// One app lets another in (WireContract 5.4), and that one redeems its code (5.2).
extension Phone {
    static let app2app = "urn:authgear:params:oauth:grant-type:app2app-request"

    static var codeChallenge: String {
        let digest = StandInDigester().sha256(Array(Clients.verifier.utf8))
        return Clients.text(Base64URL.encode(digest.bytes))
    }

    func letIn(_ login: Holding) async {
        guard let challenge = await challenge(.app2app) else { return }
        if world.dice.strikes(350) { await letInWrongly(login, challenge) }
        await race(width) { [self] in
            // Two keys at once where none is bound: the first stays the only one.
            let isStranger = owner.utf8.elementsEqual("shop".utf8) && world.dice.strikes(250)
            let key = isStranger ? SignedJWTs.key("\(name)-second") : deviceKey
            let code = model.artefact("code", seconds: 60, usedError: .invalidGrant)
            var plan = approval(of: login)
            plan.counts = counting(login.session, at: "guest")
            plan.spends = [challenge.artefact]
            plan.binds = (login.session, isStranger ? "second" : "device")
            let jwt = deviceJWT(challenge, by: key)
            let answered = await approve(plan, login, jwt)
            guard let text = answered?.tokens?.code else { return }
            if world.dice.strikes(150) { await revoke(login, ending: login.session) }
            await redeemAsGuest(
                Code(text: Clients.text(text), artefact: code),
                of: login.session
            )
        }
    }

    private func approval(of login: Holding) -> Deed.Plan {
        var plan = Deed.Plan(.app2app)
        plan.needs = [login.family]
        plan.shown = Deed.Shown(
            family: login.family,
            generation: login.tokens.count - 1,
            ends: login.ends,
            use: .stays
        )
        return plan
    }

    private func approve(
        _ plan: Deed.Plan,
        _ login: Holding,
        _ jwt: String,
        target: String = "guest",
        key: DeviceKey? = nil,
        uri: String = Fixtures.redirectURI
    ) async -> Answered? {
        guard let token = login.tokens.last else { return nil }
        return await ask(
            plan,
            Self.app2app,
            [
                ("refresh_token", Clients.text(token)), ("jwt", jwt), ("redirect_uri", uri),
                ("code_challenge", Self.codeChallenge), ("code_challenge_method", "S256"),
            ],
            as: target,
            key: key ?? login.proofKey
        )
    }

    /// None of these may pass, or use the challenge up.
    private func letInWrongly(_ login: Holding, _ challenge: Challenge) async {
        var plan = approval(of: login)
        plan.isRight = false
        let named = [JSON.Member("client_id", .string("sibling"))]
        switch world.dice.draw(7) {
        case 6:
            // Who found the owner's refresh token has not the key that it is bound to.
            guard login.proofKey != nil else { return }
            let thief = SignedJWTs.key("thief")
            _ = await approve(plan, login, deviceJWT(challenge, by: deviceKey), key: thief)
        case 0:
            // A second key, where the first is bound.
            guard owner.utf8.elementsEqual("bank".utf8) else { return }
            let jwt = deviceJWT(challenge, by: SignedJWTs.key("thief"))
            _ = await approve(plan, login, jwt)
        case 1:
            // The bound key is named, another one has signed.
            let thief = SignedJWTs.key("thief")
            let jwt = jwts.sign(
                .app2app,
                by: thief,
                embedded: deviceKey,
                times + [JSON.Member("challenge", .string(challenge.text))]
            )
            _ = await approve(plan, login, Clients.text(jwt))
        case 2: _ = await approve(plan, login, deviceJWT(challenge, by: deviceKey, naming: named))
        case 3:
            let uri = Fixtures.redirectURI + "/"
            _ = await approve(plan, login, deviceJWT(challenge, by: deviceKey), uri: uri)
        case 4:
            // An app that the owner does not let in.
            _ = await approve(plan, login, deviceJWT(challenge, by: deviceKey), target: "stranger")
        default:
            guard let foreign = await self.challenge(.biometric) else { return }
            _ = await approve(plan, login, deviceJWT(foreign, by: deviceKey))
        }
    }

    /// The app that was let in makes a session of its own of it, once.
    func redeemAsGuest(_ code: Code, of ownerSession: Thing) async {
        var plan = Deed.Plan(.guestRedemption)
        plan.needs = [ownerSession]
        plan.spends = [code.artefact]
        if world.dice.strikes(300) {
            var wrong = plan
            wrong.isRight = false
            let isOther = world.dice.strikes(500)
            _ = await redeem(
                [("code", code.text)],
                wrong,
                as: isOther ? "other" : "guest",
                verifier: isOther ? Clients.verifier : Clients.verifier + "x"
            )
        }
        let right = plan
        await race(width) { [self] in
            let key = world.dice.strikes(300) ? SignedJWTs.key("\(name)-guest") : nil
            let answered = await redeem([("code", code.text)], right, as: "guest", key: key)
            guard let answered, let tokens = answered.tokens, let access = tokens.access else {
                return
            }
            let cascades = owner.utf8.elementsEqual("bank".utf8)
            let session = model.thing(
                "guest's session",
                in: beside([cascades ? ownerSession : user]),
                by: answered.number,
                of: code.artefact
            )
            let family = model.thing("guest's login", in: [session])
            let holding = Holding(
                "guest",
                access.session,
                session,
                family,
                proofKey: key,
                ends: [family, session]
            )
            holding.take(tokens)
            guests.append(holding)
        }
        guard let guest = guests.last, world.dice.strikes(500) else { return }
        await refresh(guest)
    }

    /// The user logs in again in the same session: its device key stays the one it has.
    func rebind(_ login: Holding) async {
        let isStranger = world.dice.strikes(400)
        guard let code = await authorize(of: owner, renewing: login.id),
            let challenge = await challenge(.app2app)
        else { return }
        var plan = Deed.Plan(.reauthentication)
        plan.needs = [login.session]
        plan.spends = [code.artefact, challenge.artefact]
        plan.binds = (login.session, isStranger ? "second" : "device")
        plan.login = Deed.Login(thing: login.session, source: .approved(code.approval))
        if let chain { plan.secret = SecretUse(act: .refresh, shares: chain.shares) }
        let key = isStranger ? SignedJWTs.key("\(name)-second") : deviceKey
        let jwt = deviceJWT(challenge, by: key)
        let asked = plan
        await race(1 + world.dice.draw(3)) { [self] in
            let answered = await redeem(
                [("code", code.text), ("x_app2app_device_key_jwt", jwt)],
                asked,
                as: owner,
                key: proofKey
            )
            if let tokens = answered?.tokens { chain?.take(tokens) }
        }
        await refresh(login)
    }
}
