import Domain
import Issuing
import OAuth

// What any app does with what it holds: refresh, look, end.
extension Phone {
    /// Many at once with one value: all but one must lose.
    func race(_ width: Int, _ body: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<width { group.addTask { await body() } }
        }
    }

    /// Mostly a few; now and then fifty.
    var width: Int { world.dice.strikes(50) ? 50 : 1 + world.dice.draw(4) }

    func refresh(_ holding: Holding) async {
        guard let token = holding.tokens.last else { return }
        var plan = Deed.Plan(.refresh)
        plan.needs = [holding.family]
        plan.shown = Deed.Shown(
            family: holding.family,
            generation: holding.tokens.count - 1,
            ends: holding.ends,
            use: holding.proofKey == nil ? .replaced : .stays
        )
        // A token that is never replaced is good for as long as its session.
        if holding.proofKey != nil, holding.isOwner { plan.shows = [holding.session] }
        var fields = [("refresh_token", Clients.text(token))]
        if let key = holding.proofKey, world.dice.strikes(250) {
            await refreshWithoutKey(plan, fields, holding, key)
        }
        if let chain, holding.sharesSecret {
            var use = SecretUse(act: .refresh, shares: chain.shares)
            if let pass = chain.pass, world.dice.strikes(800) {
                use.index = pass.index
                fields.append(("device_secret", Clients.text(pass.secret)))
            }
            plan.secret = use
        }
        guard let key = holding.proofKey, world.dice.strikes(200) else {
            let answered = await ask(
                plan,
                "refresh_token",
                fields,
                as: holding.client,
                key: holding.proofKey
            )
            return take(answered, for: holding)
        }
        // One proof, sent more than once.
        let proof = proof(of: key)
        let (asked, sent) = (plan, fields)
        await race(2) { [self] in
            let answered = await ask(
                asked,
                "refresh_token",
                sent,
                as: holding.client,
                proof: proof
            )
            take(answered, for: holding)
        }
    }

    /// Whoever has the refresh token alone has nothing.
    private func refreshWithoutKey(
        _ plan: Deed.Plan,
        _ fields: [(String, String)],
        _ holding: Holding,
        _ key: DeviceKey
    ) async {
        var plan = plan
        plan.isRight = false
        let thief = SignedJWTs.key("thief")
        let proof: (text: [UInt8], artefact: Artefact)? =
            switch world.dice.draw(3) {
            case 0: nil
            case 1: self.proof(of: thief)
            // The bound key is named, another one has signed.
            default: self.proof(of: key, by: thief)
            }
        _ = await ask(plan, "refresh_token", fields, as: holding.client, proof: proof)
    }

    private func take(_ answered: Answered, for holding: Holding) {
        guard let tokens = answered.tokens else { return }
        holding.take(tokens)
        if holding.sharesSecret, holding.client.utf8.elementsEqual(owner.utf8) {
            chain?.take(tokens)
        }
    }

    /// Whether an access token counts, by the word of whom it was given to.
    func introspect(
        _ access: (text: [UInt8], until: UInt64),
        of client: String,
        on thing: Thing
    ) async {
        var plan = Deed.Plan(.introspection)
        plan.needs = [thing]
        plan.until = access.until
        plan.tokens = [access.text]
        let number = model.begin(plan)
        let answer = await clients.ask(installation.anyIssuer()) { node -> Deed.Answer in
            guard let caller = Clients.caller(client, at: node) else { return .unknown }
            do throws(OAuthError) {
                let found = try await node.introspection.introspect(access.text, for: caller)
                if case .active = found { return .passed }
                return .refused(.invalidToken)
            } catch { return PhoneReply(error).answer }
        }
        model.end(number, answer ?? .unknown)
    }

    /// Ends what the token stands for; a client that is another's ends nothing.
    func revoke(_ holding: Holding, ending thing: Thing) async {
        guard let token = holding.tokens.last else { return }
        if world.dice.strikes(300) {
            await revoke(token, Deed.Plan(.otherRevocation), as: "other")
        }
        var plan = Deed.Plan(.revocation)
        plan.ends = [thing]
        async let watched: Void = watch(holding)
        await revoke(token, plan, as: holding.client)
        await watched
    }

    /// Meanwhile: once the session is seen to be over, so is all that rests on it.
    private func watch(_ holding: Holding) async {
        guard holding.isOwner, holding.proofKey != nil else { return }
        for _ in 0..<6 {
            await refresh(holding)
            for guest in guests.suffix(2) { await refresh(guest) }
            if let token = webTokens.last {
                await introspect((token.text, token.until), of: "site", on: token.thing)
            }
        }
    }

    func revoke(_ token: [UInt8], _ plan: Deed.Plan, as client: String) async {
        let number = model.begin(plan)
        let answer = await clients.ask(installation.anyIssuer()) { node -> Deed.Answer in
            guard let caller = Clients.caller(client, at: node) else { return .unknown }
            do throws(OAuthError) {
                try await node.revocation.revoke(
                    Revocation.Request(
                        token: token,
                        asker: .client(caller.client, assertion: nil),
                        project: caller.project,
                        deadline: caller.deadline
                    )
                )
                return .passed
            } catch { return PhoneReply(error).answer }
        }
        model.end(number, answer ?? .unknown)
    }
}
