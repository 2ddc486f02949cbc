import Domain
import InMemory
import Issuing
import OAuth

// What somebody agrees to for a client that is not the project's own (WireContract 4.3).
extension Regular {
    /// Without a consent nothing passes but what asks for it.
    ///
    /// By a login that does not count it is not asked for: that is said first.
    func visitPartner() async {
        guard let login, !isConsentUnclear else { return }
        var plan = Deed.Plan(.partnerVisit)
        plan.needs = [login.value] + [consent].compactMap(\.self)
        let policy = installation.policies.policy(of: Self.partner)
        plan.isRight = consent != nil || !policy.takes(login.approval)
        plan.counts = counting(login)
        let code = model.artefact("code", seconds: 60, usedError: .invalidGrant)
        let number = model.begin(plan)
        let isSilent = dice.strikes(300)
        let heard = await authorize(Self.partner, prompt: isSilent ? "none" : nil)
        model.end(number, heard.answer)
        if let text = heard.code {
            await take(text, code, by: login)
        } else if case .consent(let id) = heard.page, consent == nil {
            await agree(id, login)
        }
    }

    /// The login of this browser was for another client.
    private func counting(_ login: Login) -> Deed.Counting {
        let policy = installation.policies.policy(of: Self.partner)
        return Deed.Counting(thing: login.approved, policy: policy, error: .loginRequired)
    }

    /// Redeems a code, and perhaps takes back what it was given for: before, meanwhile or after.
    private func take(_ text: [UInt8], _ code: Artefact, by login: Login) async {
        let agreed = consent
        if dice.strikes(400) {
            // A code of before is too late, or its session ends with the others.
            async let withdrawal: Void = withdraw()
            if dice.strikes(500) { await withdrawal }
            await redeem(text, code, as: Self.partner, by: login.session, agreed)
            return await withdrawal
        }
        await redeem(text, code, as: Self.partner, by: login.session, agreed)
        if dice.strikes(400) { await withdraw() }
    }

    /// One form, pressed again where nothing was heard: its page says that it is over by then.
    private func agree(_ id: StreamID, _ login: Login) async {
        guard let form = await form(of: id) else { return }
        if dice.strikes(300) {
            var plan = Deed.Plan(.consentAfterRefusal)
            guard case .refused(.accessDenied) = await press(form, allows: false).page else {
                return
            }
            plan.isRight = false
            let number = model.begin(plan)
            model.end(number, await press(form, allows: true).answer)
            return
        }
        var plan = Deed.Plan(.consent)
        plan.needs = [login.value]
        plan.counts = counting(login)
        let code = model.artefact("code", seconds: 60, usedError: .invalidGrant)
        plan.gives = Deed.Ending(code: code)
        let given = model.thing("consent")
        for _ in 0..<2 {
            let number = model.begin(plan)
            let heard = await press(form, allows: true)
            model.end(number, heard.answer, code: heard.code)
            guard let text = heard.code else { continue }
            consent = given
            return await take(text, code, by: login)
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

    /// From the answer on nothing of this client passes (9.7); asked again where none was heard.
    private func withdraw() async {
        guard let consent, let subject, let client = ClientID(Self.partner) else { return }
        let isAsUser = dice.strikes(700)
        let before = sessions(of: Self.partner)
        for _ in 0..<3 {
            var plan = Deed.Plan(.withdrawal)
            plan.ends = [consent]
            let number = model.begin(plan)
            let isDone = await clients.ask(installation.anyIssuer()) { node in
                await node.withdrawConsent(
                    from: client,
                    of: subject,
                    by: isAsUser ? .user : .operator
                )
            }
            model.end(number, isDone == true ? .passed : .unknown)
            guard isDone == true else { continue }
            self.consent = nil
            return checkEnded(before)
        }
        isConsentUnclear = true
    }

    /// What there was is recorded as ended by then, but for what a clock that stepped calls over.
    private func checkEnded(_ sessions: [SessionID]) {
        guard !world.hasSteppedClock else { return }
        let log = installation.checks.log
        for session in sessions where !log.isRevoked(session) {
            installation.checks.broken("I4", "a withdrawn consent left a session open")
        }
    }
}

extension IssuerProcess {
    /// As the settings page and the admin API do it; whether it is done.
    fileprivate func withdrawConsent(
        from client: ClientID,
        of subject: SubjectID,
        by who: Consent.Withdrawer
    ) async -> Bool {
        guard let project = projects.all.first else { return false }
        let request = CommandRequest(
            project: project,
            attributes: EventAttributes(
                actor: who == .user ? .subject(subject) : .operator(name: "support")
            ),
            deadline: clock.deadline(inMilliseconds: 3000)
        )
        let consents = Consents(commands: commands)
        let outcome = try? await consents.withdraw(
            from: client,
            of: subject,
            by: who,
            request: request
        )
        return outcome == .withdrawn || outcome == .withdrawnBefore
    }
}
