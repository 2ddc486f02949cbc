import Domain
import Issuing
import OAuth

// The user looks after their sessions (WireContract 9.5), by an app's access token.
extension Phone {
    func tend(_ login: Holding) async {
        switch world.dice.draw(10) {
        case 0...1: await list(login)
        case 2...3: await endOne(login)
        case 4: await endOthers(login)
        case 5: await endWrongly(login)
        default: await openSettings(login)
        }
    }

    // MARK: - The session API

    private func list(_ login: Holding) async {
        guard let access = login.accessTokens.last else { return }
        let number = model.begin(plan(.sessionList, login, by: access))
        let found = Found()
        let answer = await byToken(access.text) { users, caller, request throws(StoreError) in
            let page = try await users.page(
                of: caller.subject,
                after: nil,
                in: request.project,
                by: request.deadline
            )
            found.page = page
            return .passed
        }
        model.end(number, answer)
        if answer == .passed, let page = found.page { judge(page.entries, page.next, number) }
    }

    // @unchecked: touched by the one thread that runs the simulation.
    private final class Found: @unchecked Sendable {
        var page: SessionList.Page?
    }

    /// A list has every session that lives, none that has ended, and nobody else's.
    func judge(_ entries: [SessionList.Entry], _ next: SessionID?, _ number: Int) {
        let deed = model.deeds[number]
        if entries.contains(where: { $0.subject != subject }) {
            model.broken("I2", "it shows somebody else's session", deed)
        }
        let shown = Set(entries.map(\.session))
        for holding in guests + [login].compactMap(\.self) {
            if shown.contains(holding.id) {
                guard model.ending(of: holding.session, before: deed) != nil else { continue }
                model.broken("I4", "it shows a \(holding.client)'s session that ended", deed)
            } else if next == nil, model.isTimely,
                !model.mayHaveEnded(holding.session, before: deed)
            {
                model.broken("I22", "it lacks a \(holding.client)'s session", deed)
            }
        }
    }

    /// One of the others, now and then its own.
    var chosen: Holding? {
        let all = guests.suffix(3).filter { $0.id != login?.id } + [login].compactMap(\.self)
        return all.isEmpty ? nil : all[world.dice.draw(all.count)]
    }

    private func endOne(_ login: Holding) async {
        guard let access = login.accessTokens.last, let chosen else { return }
        var plan = plan(.sessionEnd, login, by: access)
        plan.leansOn = [chosen.session]
        plan.ends = [chosen.session]
        // The command alone, as of a node that died with the rest undone.
        let isCutShort = world.dice.strikes(300)
        if isCutShort { (plan.needs, plan.until, plan.tokens) = ([], nil, []) }
        let number = model.begin(plan)
        let answer =
            isCutShort
            ? await endAlone(chosen.id) : await end(chosen.id, by: access.text)
        model.end(number, answer)
        await refresh(chosen)
        if let token = chosen.accessTokens.last {
            await introspect(token, of: chosen.client, on: chosen.family)
        }
    }

    private func endAlone(_ id: SessionID) async -> Deed.Answer {
        let isDone = await clients.ask(installation.anyIssuer()) { node in
            await node.run(OfflineGrant.self, id.stream) { _ in .revoke(.logout) }
        }
        return isDone == true ? .passed : .unknown
    }

    private func end(_ id: SessionID, by token: [UInt8]) async -> Deed.Answer {
        await byToken(token) { users, caller, request throws(StoreError) in
            try await users.end(id, of: caller.subject, request: request)
                ? .passed : .refused(.notFound)
        }
    }

    private func endOthers(_ login: Holding) async {
        guard let access = login.accessTokens.last else { return }
        let number = model.begin(othersPlan(.othersEnd, login, by: access))
        let answer = await byToken(access.text) { users, caller, request throws(StoreError) in
            _ = try await users.endAll(
                of: caller.subject,
                but: [caller.session],
                request: request
            )
            return .passed
        }
        model.end(number, answer)
        await others(haveEnded: answer)
    }

    func othersPlan(
        _ act: Deed.Act,
        _ login: Holding,
        by access: (text: [UInt8], until: UInt64)? = nil
    ) -> Deed.Plan {
        var plan = plan(act, login, by: access)
        plan.ends = [elsewhere]
        plan.perhapsEnds = [strays]
        return plan
    }

    func others(haveEnded answer: Deed.Answer) async {
        if answer == .passed { elsewhere = model.thing("elsewhere") }
        if answer == .unknown { hasStrayed = true }
        for guest in guests.suffix(3) { await refresh(guest) }
        if let login { await refresh(login) }
    }

    /// None of these may pass, or end anything.
    private func endWrongly(_ login: Holding) async {
        var plan = Deed.Plan(.sessionEnd)
        plan.isRight = false
        if world.dice.strikes(500), let access = login.accessTokens.last,
            let other = model.passes.last(where: { $0.session != login.id && !has($0.session) })
        {
            // Somebody else's.
            let number = model.begin(plan)
            let answer = await end(other.session, by: access.text)
            return model.end(number, answer)
        }
        // By the token of an app without full access.
        guard let guest = guests.last(where: { $0.client.utf8.elementsEqual("guest".utf8) }),
            let access = guest.accessTokens.last
        else { return }
        let number = model.begin(plan)
        let answer = await end(login.id, by: access.text)
        model.end(number, answer)
    }

    private func has(_ session: SessionID) -> Bool { guests.contains { $0.id == session } }

    /// `access`: the token that it shows.
    func plan(
        _ act: Deed.Act,
        _ login: Holding,
        by access: (text: [UInt8], until: UInt64)? = nil
    ) -> Deed.Plan {
        var plan = Deed.Plan(act)
        plan.needs = [login.family]
        if let access { (plan.until, plan.tokens) = (access.until, [access.text]) }
        return plan
    }

    private func byToken(
        _ token: [UInt8],
        _ body:
            @escaping @Sendable (UserSessions, UserAccess.Caller, CommandRequest)
            async throws(StoreError) -> Deed.Answer
    ) async -> Deed.Answer {
        let sealer = installation.sealer
        let answer = await clients.ask(installation.anyIssuer()) { node -> Deed.Answer in
            guard let project = node.projects.all.first else { return .unknown }
            let deadline = node.clock.deadline(inMilliseconds: 3000)
            let presented = AccessProofs.Presented(
                token: token,
                scheme: .bearer,
                request: DPoPProofs.Request(headers: [], method: "GET", url: "")
            )
            let access = UserAccess(
                access: node.grants.access,
                liveness: Liveness(node.commands),
                clock: node.clock
            )
            let caller: UserAccess.Caller
            do throws(EnvelopeError) {
                caller = try await access.caller(with: presented, in: project, by: deadline)
            } catch { return Deed.Answer(error) }
            var attributes = EventAttributes(actor: .subject(caller.subject))
            attributes.client = caller.client
            let request = CommandRequest(
                project: project,
                attributes: attributes,
                deadline: deadline
            )
            let users = UserSessions(commands: node.commands, sealer: sealer)
            do throws(StoreError) { return try await body(users, caller, request) } catch {
                return .unknown
            }
        }
        return answer ?? .unknown
    }
}

extension Deed.Answer {
    init(_ error: EnvelopeError) {
        switch error.reason {
        case .serviceUnavailable, .unexpectedError, .rateLimited: self = .unknown
        case .invalidGrant: self = .refused(.invalidGrant)
        case .accessDenied where error.isOfSuspendedProject: self = .refused(.unauthorizedClient)
        case .accessDenied: self = .refused(.accessDenied)
        case .invalidDPoPKeyBinding: self = .refused(.invalidDPoPProof)
        case .notFound: self = .refused(.notFound)
        default: self = .refused(.invalidToken)
        }
    }
}
