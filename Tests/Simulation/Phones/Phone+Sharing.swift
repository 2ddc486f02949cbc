import Domain
import Issuing
import OAuth

// Native SSO (WireContract 5.6): another app of the vendor comes into the session.
extension Phone {
    static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    static let identityType = "urn:ietf:params:oauth:token-type:id_token"
    static let secretType = "urn:openid:params:token-type:device-secret"

    func share(_ login: Holding) async {
        guard let pass = chain?.pass else { return }
        if world.dice.strikes(350) { await shareWrongly(login, pass) }
        switch world.dice.draw(12) {
        case 0...1: await shareWrongly(login, pass)
        case 2:
            let sibling = guests.last { $0.client.utf8.elementsEqual("sibling".utf8) }
            guard let sibling else { return }
            await revoke(sibling, ending: sibling.family)
            await refresh(sibling)
        case 3:
            // Somebody who came by this very secret.
            await join("sibling", login, pass)
            await revokeSecret(pass)
        case 4: await look()
        case 5:
            // A secret that was followed by another: good for as long as that is not used.
            let former = model.passes.last { $0.session == login.id && $0.index < pass.index }
            if let former { await join("sibling", login, former) }
        default:
            await join("sibling", login, pass)
            // And again at once: two stays in a moment, by two clocks.
            if world.dice.strikes(400) { await join("sibling", login, pass) }
        }
    }

    func exchangeFields(_ pass: Holding.Pass) -> [(String, String)] {
        [
            ("subject_token", Clients.text(pass.identity)),
            ("subject_token_type", Self.identityType),
            ("actor_token", Clients.text(pass.secret)), ("actor_token_type", Self.secretType),
            ("audience", "https://auth.example.com"),
        ]
    }

    private func plan(_ act: Deed.Act, _ login: Holding, _ use: SecretUse.Act, _ pass: Holding.Pass)
        -> Deed.Plan?
    {
        guard let chain else { return nil }
        var plan = Deed.Plan(act)
        plan.needs = [login.session]
        plan.secret = SecretUse(act: use, shares: chain.shares, index: pass.index)
        plan.tokens = [pass.identity]
        return plan
    }

    /// Comes in, or comes again: then what it had before is over.
    func join(_ client: String, _ login: Holding, _ pass: Holding.Pass) async {
        guard let chain, var plan = plan(.nativeSSO, login, .join, pass) else { return }
        plan.place = chain.sibling
        plan.counts = counting(login.session, at: client)
        let asked = plan
        let former = guests.last { $0.client.utf8.elementsEqual(client.utf8) }
        await race(1 + world.dice.draw(2)) { [self] in
            let key = world.dice.strikes(300) ? SignedJWTs.key("\(name)-sibling") : nil
            let answered = await ask(
                asked,
                Self.exchange,
                exchangeFields(pass),
                as: client,
                key: key
            )
            guard let tokens = answered.tokens, let access = tokens.access else { return }
            if access.session != login.id {
                model.broken("I2", "another session was joined", model.deeds[answered.number])
            }
            let family = model.thing(
                "sibling's login",
                in: [login.session, chain.shares],
                by: answered.number
            )
            let holding = Holding(
                client,
                access.session,
                login.session,
                family,
                proofKey: key,
                // Whom a thief may have let in since goes, too.
                ends: [family, chain.shares],
                sharesSecret: true
            )
            holding.take(tokens)
            guests.append(holding)
        }
        // Where clocks differ two stays might look alike.
        if let former, let token = former.accessTokens.last {
            await introspect(token, of: client, on: former.family)
        }
        guard let guest = guests.last, world.dice.strikes(500) else { return }
        await refresh(guest)
    }

    /// None of these may pass, or change anything.
    private func shareWrongly(_ login: Holding, _ pass: Holding.Pass) async {
        guard var plan = plan(.nativeSSO, login, .join, pass) else { return }
        plan.isRight = false
        var wrong = pass
        let former = model.passes.last { $0.session == login.id && $0.index < pass.index }
        switch world.dice.draw(former == nil ? 4 : 6) {
        case 4...:
            // The id token that named the secret before this one.
            guard let former else { return }
            wrong.identity = former.identity
            _ = await ask(plan, Self.exchange, exchangeFields(wrong), as: "sibling")
        case 0:
            // An app of another vendor.
            _ = await ask(plan, Self.exchange, exchangeFields(pass), as: "stranger")
        case 1:
            wrong.secret = Clients.damaged(pass.secret)
            _ = await ask(plan, Self.exchange, exchangeFields(wrong), as: "sibling")
        case 2:
            // The id token of somebody else's phone.
            guard let other = model.passes.first(where: { $0.identity != pass.identity }),
                other.session != login.id
            else { return }
            wrong.identity = other.identity
            _ = await ask(plan, Self.exchange, exchangeFields(wrong), as: "sibling")
        default:
            let fields = exchangeFields(pass).filter { !$0.0.utf8.elementsEqual("audience".utf8) }
            let elsewhere = fields + [("audience", "https://elsewhere.example.com")]
            _ = await ask(plan, Self.exchange, elsewhere, as: "sibling")
        }
    }

    /// Ends the secret and whoever came by it; the first app stays.
    private func revokeSecret(_ pass: Holding.Pass) async {
        guard let chain, let login else { return }
        var plan = Deed.Plan(.secretRevocation)
        plan.perhapsEnds = [chain.shares]
        plan.secret = SecretUse(act: .revoke, shares: chain.shares, index: pass.index)
        await revoke(pass.secret, plan, as: owner)
        if let guest = sibling(of: login) ?? guests.last { await refresh(guest) }
        await join("sibling", login, pass)
    }
}
