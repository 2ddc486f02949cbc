import Domain
import Issuing
import OAuth

// @unchecked: touched by the one thread that runs the simulation.
/// A biometric key of a phone.
final class SimulatedKey: @unchecked Sendable {
    let kid: String
    let key: DeviceKey
    /// The user's, and what a removal ends of it.
    private(set) var thing: Thing
    let entry: Thing
    /// One session at a time.
    let place: Thing
    /// Wrong signatures, of which ten in a quarter of an hour pause the key.
    var failures = 0

    init(_ kid: String, of user: Thing, in model: DeedModel) {
        self.kid = kid
        key = SignedJWTs.key(kid)
        entry = model.thing("key")
        thing = model.thing("key", in: [user, entry])
        place = model.thing("place")
    }

    /// A key outlasts the time its user is disabled.
    func comeBack(with user: Thing, in model: DeedModel) {
        thing = model.thing("key", in: [user, entry])
    }
}

// Biometric keys: set up, used, removed (WireContract 5.5, 9.5).
extension Phone {
    static let biometric = "urn:authgear:params:oauth:grant-type:biometric-request"

    func useKeys(_ login: Holding) async {
        guard let key = keys.last else { return await setUpKey(login) }
        switch world.dice.draw(10) {
        case 0...1: await setUpKey(login)
        case 2...3: await removeKey(key)
        default: await authenticate(key, width: width)
        }
    }

    private func biometricJWT(
        _ challenge: Challenge,
        _ action: String,
        _ kid: String,
        by key: DeviceKey,
        embedded: DeviceKey?,
        for client: String? = nil
    ) -> String {
        var payload = times
        payload.append(JSON.Member("challenge", .string(challenge.text)))
        payload.append(JSON.Member("action", .string(action)))
        if let client { payload.append(JSON.Member("client_id", .string(client))) }
        let text = jwts.sign(.biometric, by: key, embedded: embedded, keyID: kid, payload)
        return Clients.text(text)
    }

    private func setUpKey(_ login: Holding) async {
        guard let access = login.accessTokens.last else { return }
        let kid = fresh("kid")
        let made = SimulatedKey(kid, of: user, in: model)
        let key = made.key
        let once = model.artefact("key")
        await race(1 + world.dice.draw(2)) { [self] in
            guard let challenge = await challenge(.biometric) else { return }
            var plan = Deed.Plan(.keySetup)
            plan.needs = [login.family]
            plan.until = access.until
            plan.tokens = [access.text]
            plan.spends = [challenge.artefact, once]
            // Whoever was let in by a tap can set a key up, too.
            plan.login = Deed.Login(thing: made.entry, source: .newest(of: login.session))
            if world.dice.strikes(200) {
                // Its signature is not of the key it names.
                var wrong = plan
                wrong.isRight = false
                let thief = SignedJWTs.key("thief")
                let jwt = biometricJWT(challenge, "setup", kid, by: thief, embedded: key)
                _ = await ask(
                    wrong,
                    Self.biometric,
                    [("jwt", jwt)],
                    as: owner,
                    bearer: access.text
                )
            }
            let jwt = biometricJWT(challenge, "setup", kid, by: key, embedded: key)
            let answered = await ask(
                plan,
                Self.biometric,
                [("jwt", jwt)],
                as: owner,
                bearer: access.text
            )
            guard answered.tokens != nil else { return }
            keys.append(made)
        }
    }

    func authenticate(_ key: SimulatedKey, width: Int) async {
        guard let challenge = await challenge(.biometric) else { return }
        var plan = Deed.Plan(.biometricLogin)
        plan.needs = [key.thing]
        plan.spends = [challenge.artefact]
        plan.place = key.place
        if world.dice.strikes(250) { await authenticateWrongly(key, challenge, plan) }
        let asked = plan
        let letsIn = world.dice.strikes(300) || drawLetting()
        await race(width) { [self] in
            if letsIn {
                await authenticateAndLetIn(key, challenge, asked)
            } else {
                let jwt = biometricJWT(
                    challenge,
                    "authenticate",
                    key.kid,
                    by: key.key,
                    embedded: nil
                )
                let answered = await ask(asked, Self.biometric, [("jwt", jwt)], as: owner)
                _ = hold(answered, key)
            }
        }
    }

    private func authenticateAndLetIn(
        _ key: SimulatedKey,
        _ challenge: Challenge,
        _ plan: Deed.Plan
    ) async {
        var plan = plan
        plan.counts = counting(key.entry, at: "guest")
        let code = model.artefact("code", seconds: 60, usedError: .invalidGrant)
        let jwt = biometricJWT(
            challenge,
            "authenticate_app2app",
            key.kid,
            by: key.key,
            embedded: key.key,
            for: "guest"
        )
        let answered = await ask(
            plan,
            Self.biometric,
            [
                ("jwt", jwt), ("redirect_uri", Fixtures.redirectURI),
                ("code_challenge", Self.codeChallenge),
            ],
            as: owner
        )
        guard let session = hold(answered, key), let text = answered.tokens?.code else { return }
        await redeemAsGuest(Code(text: Clients.text(text), artefact: code), of: session)
    }

    /// Keeps what the login gave; its session.
    private func hold(_ answered: Answered, _ key: SimulatedKey) -> Thing? {
        guard let tokens = answered.tokens, let access = tokens.access else { return nil }
        let session = model.thing(
            "key's session",
            in: beside([key.thing]),
            by: answered.number
        )
        let family = model.thing("key's login", in: [session])
        let holding = Holding(
            owner,
            access.session,
            session,
            family,
            proofKey: nil,
            ends: [family, session]
        )
        holding.take(tokens)
        guests.append(holding)
        return session
    }

    /// None of these may pass, or use the challenge up.
    private func authenticateWrongly(
        _ key: SimulatedKey,
        _ challenge: Challenge,
        _ right: Deed.Plan
    ) async {
        var plan = right
        plan.isRight = false
        let mixed = [
            ("redirect_uri", Fixtures.redirectURI), ("code_challenge", Self.codeChallenge),
        ]
        switch world.dice.draw(4) {
        case 0:
            guard key.failures < 3 else { return }
            key.failures += 1
            let thief = SignedJWTs.key("thief")
            let jwt = biometricJWT(challenge, "authenticate", key.kid, by: thief, embedded: nil)
            _ = await ask(plan, Self.biometric, [("jwt", jwt)], as: owner)
        case 1:
            let jwt = biometricJWT(challenge, "authenticate", key.kid, by: key.key, embedded: nil)
            _ = await ask(plan, Self.biometric, [("jwt", jwt)] + mixed, as: owner)
        case 2:
            // For the first app a login, for the second nothing.
            let jwt = biometricJWT(challenge, "authenticate", key.kid, by: key.key, embedded: nil)
            _ = await ask(plan, Self.biometric, [("jwt", jwt)], as: secondOwner)
        default:
            guard let foreign = await self.challenge(.app2app) else { return }
            let jwt = biometricJWT(foreign, "authenticate", key.kid, by: key.key, embedded: nil)
            _ = await ask(plan, Self.biometric, [("jwt", jwt)], as: owner)
        }
    }

    private func removeKey(_ key: SimulatedKey) async {
        var plan = Deed.Plan(.keyRemoval)
        plan.needs = [key.entry]
        plan.leansOn = [key.thing]
        plan.ends = [key.entry]
        let number = model.begin(plan)
        let (installation, subject) = (installation, subject)
        let answer = await clients.ask(installation.anyIssuer()) { node -> Deed.Answer in
            guard let project = node.projects.all.first else { return .unknown }
            let all = BiometricKeys(commands: node.commands, sealer: installation.sealer)
            let request = CommandRequest(
                project: project,
                attributes: EventAttributes(actor: .system),
                deadline: node.clock.deadline(inMilliseconds: 3000)
            )
            do throws(StoreError) {
                let removal = try await all.remove(key.kid, of: subject, .user, request: request)
                return removal == .removed ? .passed : .refused(.notFound)
            } catch { return .unknown }
        }
        model.end(number, answer ?? .unknown)
        guard world.dice.strikes(600) else { return }
        await authenticate(key, width: 1)
        if let guest = guests.last { await refresh(guest) }
    }
}
