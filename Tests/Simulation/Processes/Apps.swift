import Domain
import InMemory
import Issuing
import Runtime

/// Apps that redeem, refresh, retry, replay, introspect and revoke, two per code at once.
struct Apps: Sendable {
    let clients: Clients
    let subject: SubjectID
    let browser: SessionID
    /// Those who use the flows of phones.
    var phones: [Phone] = []
    private var world: World { clients.world }
    private var model: ClientModel { clients.model }

    /// Whether somebody ends everything once in this run.
    let endings: Set<Asked.Act>

    init(_ clients: Clients, subject: SubjectID, browser: SessionID) {
        self.clients = clients
        self.subject = subject
        self.browser = browser
        var endings: Set<Asked.Act> = []
        if clients.world.dice.strikes(250) { endings.insert(.logOut) }
        if clients.world.dice.strikes(150) { endings.insert(.disableSubject) }
        if clients.world.dice.strikes(150) { endings.insert(.disableClient) }
        self.endings = endings
    }

    /// One app's life with one code.
    ///
    /// `redeems`: whether it tries the code first, or waits for another who does.
    func live(
        _ index: Int,
        turns: Int,
        afterMilliseconds delay: Int = 0,
        redeems: Bool = true
    ) async {
        if delay > 0 { await world.sleep(milliseconds: delay, on: clients.process) }
        if world.dice.strikes(250) { await misuse(index) }
        if redeems {
            _ = await clients.redeem(index)
        } else {
            await world.sleep(milliseconds: 40, on: clients.process)
        }
        for _ in 0..<turns {
            let milliseconds = await pause()
            let tokens = model.lineages[index].tokens
            if milliseconds > 30_000, tokens.count > 1, world.dice.strikes(500) {
                // The one before the newest, when the grace is over.
                _ = await clients.refresh(index, tokens[tokens.count - 2])
            }
            await act(index)
        }
        guard let newest = model.lineages[index].tokens.last else { return }
        await clients.introspect(index, newest)
        // Many an app ends its session itself, and then looks.
        guard world.dice.strikes(350) else { return }
        await clients.revoke(index, newest, isAccess: false)
        _ = await clients.refresh(index, newest)
        await introspectAccess(index)
    }

    private func pause() async -> Int {
        let milliseconds: Int
        switch world.dice.draw(20) {
        case 0: milliseconds = 9_000 + world.dice.draw(8_000)
        case 1: milliseconds = 28_000 + world.dice.draw(12_000)
        case 2...8: milliseconds = world.dice.draw(300)
        default: milliseconds = world.dice.draw(5)
        }
        await world.sleep(milliseconds: milliseconds, on: clients.process)
        return milliseconds
    }

    private func act(_ index: Int) async {
        let tokens = model.lineages[index].tokens
        guard let newest = tokens.last else {
            if world.dice.strikes(300) { _ = await clients.redeem(index) }
            return
        }
        let any = tokens[world.dice.draw(tokens.count)]
        switch world.dice.draw(24) {
        case 0: _ = await clients.redeem(index)
        case 1...2: _ = await clients.refresh(index, any)
        case 3...6:
            async let one = clients.refresh(index, newest)
            async let two = clients.refresh(index, newest)
            _ = await [one, two]
        case 7: _ = await clients.refresh(index, newest, scope: "openid")
        case 8...10: await misuse(index)
        case 11: await clients.introspect(index, any)
        case 12...14: await introspectAccess(index)
        case 15 where world.dice.strikes(300): await clients.revoke(index, any, isAccess: false)
        case 16: await clients.revoke(index, any, isAccess: false, byOther: true)
        case 17: await revokeAccess(index)
        default: _ = await clients.refresh(index, newest)
        }
    }

    /// Requests that must change nothing.
    private func misuse(_ index: Int) async {
        let flaws = Clients.Flaw.allCases
        let flaw = flaws[world.dice.draw(flaws.count)]
        let tokens = model.lineages[index].tokens
        guard !tokens.isEmpty, world.dice.strikes(600) else {
            if flaw != .scope { _ = await clients.redeem(index, flaw: flaw) }
            return
        }
        let token = tokens[world.dice.draw(tokens.count)]
        switch flaw {
        case .client, .scope: _ = await clients.refresh(index, token, flaw: flaw)
        case .redirectURI, .verifier, .secret:
            _ = await clients.refresh(index, token, flaw: .secret)
        }
    }

    private func introspectAccess(_ index: Int) async {
        let tokens = model.lineages[index].accessTokens
        guard !tokens.isEmpty else { return }
        await clients.introspect(index, tokens[world.dice.draw(tokens.count)].text)
    }

    private func revokeAccess(_ index: Int) async {
        let tokens = model.lineages[index].accessTokens
        guard !tokens.isEmpty, world.dice.strikes(400) else { return }
        let token = tokens[world.dice.draw(tokens.count)].text
        await clients.revoke(index, token, isAccess: true)
        await clients.introspect(index, token)
    }

    /// A login by link, and an app's life with the code of it.
    func signIn() async {
        let policies = ["app", "confirming", "denying"]
        let client = policies[world.dice.draw(policies.count)]
        let visitor = Visitor(clients, client: client, number: world.dice.draw(1000))
        guard let code = await visitor.signIn() else { return }
        model.lineages.append(
            Lineage(
                client: client,
                code: code,
                scope: "openid offline_access",
                isBound: false,
                isOwned: false,
                rotates: true,
                issuedAt: world.nanoseconds
            )
        )
        await live(model.lineages.count - 1, turns: 2)
    }

    /// Ends things in the middle of the others' lives.
    func end() async {
        for act in [Asked.Act.logOut, .disableSubject, .disableClient] where endings.contains(act) {
            await world.sleep(milliseconds: world.dice.draw(15_000), on: clients.process)
            switch act {
            case .logOut: await clients.logOut(browser, of: subject)
            case .disableSubject: await clients.disable(subject)
            case .disableClient: await clients.disableApp()
            case .redeem, .refresh, .introspect, .revoke, .revokeAccess: break
            }
        }
    }

    /// When all is well again every session answers: with tokens, or finally.
    func probe() async {
        for index in model.lineages.indices {
            guard let newest = model.lineages[index].tokens.last else { continue }
            _ = await clients.refresh(index, newest)
            await clients.introspect(index, newest)
            await introspectAccess(index)
        }
    }
}
