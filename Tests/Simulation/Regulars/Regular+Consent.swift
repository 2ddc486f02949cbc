import Domain
import InMemory
import Issuing
import OAuth

// What somebody agrees to for a client that is not the project's own (wire.md 4.3).
extension Regular {
    /// Without a consent nothing passes but what asks for it.
    func visitPartner() async {
        guard let login, !isConsentUnclear else { return }
        var plan = Deed.Plan("visit to a partner")
        plan.needs = [login.value] + [consent].compactMap(\.self)
        plan.isRight = consent != nil
        let code = model.artefact("code", seconds: 60, usedError: .invalidGrant)
        let number = model.begin(plan)
        let isSilent = dice.strikes(300)
        let heard = await authorize(Self.partner, prompt: isSilent ? "none" : nil)
        model.end(number, heard.answer)
        if let text = heard.code {
            await redeem(text, code, as: Self.partner, by: login.session)
            if dice.strikes(400) { await withdraw() }
        } else if case .consent(let id) = heard.page, consent == nil {
            await agree(id, login)
        }
    }

    /// One form, pressed again where nothing was heard: its page says that it is over by then.
    private func agree(_ id: StreamID, _ login: Login) async {
        guard let form = await form(of: id) else { return }
        if dice.strikes(300) {
            var plan = Deed.Plan("consent after a refusal")
            guard case .refused(.accessDenied) = await press(form, allows: false).page else {
                return
            }
            plan.isRight = false
            let number = model.begin(plan)
            model.end(number, await press(form, allows: true).answer)
            return
        }
        var plan = Deed.Plan("consent")
        plan.needs = [login.value]
        let code = model.artefact("code", seconds: 60, usedError: .invalidGrant)
        plan.gives = Deed.Ending(code: code)
        let given = model.thing("consent")
        for _ in 0..<2 {
            let number = model.begin(plan)
            let heard = await press(form, allows: true)
            model.end(number, heard.answer, code: heard.code)
            guard let text = heard.code else { continue }
            consent = given
            return await redeem(text, code, as: Self.partner, by: login.session)
        }
        isConsentUnclear = true
    }

    private func form(of id: StreamID) async -> SignInContext.Posted? {
        let heard = await page { node, browser throws(OAuthError) in
            let shown = try await SignInPages(node.signIn).account(id, for: .consent, browser)
            guard let shown else { return Heard(.login(id)) }
            return Heard(.form(SignInContext.Posted(request: id, token: shown.formToken)))
        }
        if case .form(let form) = heard.page { return form }
        return nil
    }

    private func press(_ form: SignInContext.Posted, allows: Bool) async -> Heard {
        await page { node, browser throws(OAuthError) in
            Heard(try await ContinueSignIn(node.signIn).consent(form, allows: allows, browser))
        }
    }

    /// Recorded by hand: whose command it is, is built nowhere yet.
    private func withdraw() async {
        guard let consent, let subject, let client = ClientID(Self.partner) else { return }
        var plan = Deed.Plan("withdrawal")
        plan.ends = [consent]
        let number = model.begin(plan)
        let name = StreamNames(installation.digester)
            .consent(subject, client, in: installation.projectNumber)
        let isDone = await clients.ask(installation.anyIssuer()) { node in
            await node.run(Consent.self, name) { _ in .withdraw(client, by: .user) }
        }
        model.end(number, isDone == true ? .passed : .unknown)
        if isDone == true { self.consent = nil } else { isConsentUnclear = true }
    }
}
