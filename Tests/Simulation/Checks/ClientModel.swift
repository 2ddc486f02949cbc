import Domain

// @unchecked: touched by the one thread that runs the simulation.
/// What WireContract promises clients about codes and sessions (5.2, 5.3, 9), judged at each answer
/// from nothing but what clients have asked and heard, and when.
final class ClientModel: @unchecked Sendable {
    let world: World
    let checks: Checks
    var lineages: [Lineage] = []
    private(set) var requests: [Asked] = []
    /// What was tried of logins by link, which have models of their own.
    var loginSteps: [LoginModel.Act: Int] = [:]
    /// How far clocks may be apart by now, in ns, and the time a request may take on the way.
    var slack: UInt64 { world.slack }
    /// All is well again: a failure to answer is a failure.
    var isCalm = false

    static let codeLife: UInt64 = 60_000_000_000
    static let replayGrace: UInt64 = 10_000_000_000
    static let idle: UInt64 = 2_592_000_000_000_000
    static let grace = UInt64(Fixtures.graceSeconds) * 1_000_000_000

    init(_ world: World, _ checks: Checks) {
        self.world = world
        self.checks = checks
    }

    func begin(
        _ act: Asked.Act,
        _ lineage: Int,
        _ presented: [UInt8] = [],
        isRight: Bool = true,
        scope: String? = nil
    ) -> Int {
        let asked = Asked(
            number: requests.count,
            act: act,
            lineage: lineage,
            presented: presented,
            isRight: isRight,
            askedScope: scope,
            startedStep: world.steps,
            startedAt: world.nanoseconds
        )
        requests.append(asked)
        return asked.number
    }

    func end(_ number: Int, _ answer: Asked.Answer) {
        requests[number].endedStep = world.steps
        requests[number].endedAt = world.nanoseconds
        requests[number].answer = answer
        judge(requests[number])
    }

    func broken(_ invariant: String, _ sentence: String, _ asked: Asked) {
        checks.broken(invariant, "\(sentence), request \(asked.number)")
    }

    private func judge(_ asked: Asked) {
        if isCalm, asked.answer == .unknown {
            broken("I16", "a \(asked.act) was not answered though all is well", asked)
        }
        judgeSuspension(asked)
        guard asked.lineage >= 0, !isOfSuspension(asked) else { return }
        switch asked.act {
        case .redeem: judgeRedeem(asked)
        case .refresh: judgeRefresh(asked)
        case .introspect: judgeIntrospection(asked)
        case .revoke, .revokeAccess, .logOut, .disableSubject, .disableClient: break
        }
        if let granted = asked.granted { keep(granted, of: asked) }
    }

    private func keep(_ granted: Asked.Granted, of asked: Asked) {
        if !checks.log.tokens.contains(granted.token) {
            broken("I16", "success without a commit", asked)
        }
        if let end = checks.log.ends[granted.session], granted.expiresAt > end {
            broken("I8", "an access token outlives its session", asked)
        }
        let index = asked.lineage
        lineages[index].session = granted.session
        if let token = granted.refreshToken, !lineages[index].tokens.contains(token) {
            lineages[index].tokens.append(token)
        }
        let microseconds = granted.expiresAt.microseconds - World.birth.microseconds
        let end = UInt64(max(0, microseconds)) * 1000
        lineages[index].accessTokens.append((granted.accessToken, end))
    }

    // MARK: - Codes

    private func judgeRedeem(_ asked: Asked) {
        let same = requests.filter {
            $0.act == .redeem && $0.lineage == asked.lineage && $0.isRight
        }
        let others = same.filter { $0.number != asked.number }
        let lineage = lineages[asked.lineage]
        if let granted = asked.granted {
            if !asked.isRight { broken("I2", "a code was redeemed by a wrong request", asked) }
            if others.contains(where: { $0.granted != nil }) {
                broken("I1", "a code was redeemed twice", asked)
            }
            if asked.startedAt > lineage.issuedAt + Self.codeLife + slack {
                broken("I8", "an expired code was redeemed", asked)
            }
            judgeScope(granted, within: lineage.scope, asked)
            judgeAlive(asked)
        }
        guard case .refused = asked.answer, asked.isRight else { return }
        let first = others.first { $0.granted != nil && $0.ended(before: asked.startedStep) }
        if let first {
            let ended = first.endedAt ?? asked.startedAt
            let wasUsed = requests.contains {
                $0.act == .refresh && $0.lineage == asked.lineage && $0.granted != nil
                    && $0.ended(before: asked.startedStep)
            }
            if wasUsed || asked.startedAt > ended + Self.replayGrace + slack {
                die(asked)
            }
        }
        let isExpired = (asked.endedAt ?? 0) + slack > lineage.issuedAt + Self.codeLife
        let mayBeUsed = others.contains { $0.began(before: asked.endedStep) }
        if !mayBeUsed, !isExpired, !mayHaveEnded(asked) {
            broken("I22", "a good code was refused", asked)
        }
    }

    // MARK: - Refresh tokens

    private func judgeRefresh(_ asked: Asked) {
        let lineage = lineages[asked.lineage]
        guard let generation = lineage.generation(of: asked.presented), asked.isRight else {
            if asked.granted != nil { broken("I6", "a wrong request got tokens", asked) }
            return
        }
        let isReuse = isReuse(asked, generation, lineage)
        if let granted = asked.granted {
            judgeAlive(asked)
            if isReuse { broken("I5", "a spent refresh token got tokens", asked) }
            judgeSuccessor(granted, generation, lineage, asked)
            judgeScope(granted, within: asked.askedScope ?? lineage.scope, asked)
        }
        guard case .refused(let error) = asked.answer else { return }
        if isReuse, error.utf8.elementsEqual("invalid_grant".utf8) { die(asked) }
        if isLeafOrRetry(asked, generation, lineage), !mayHaveEnded(asked) {
            broken("I22", "a good refresh token was refused", asked)
        }
    }

    /// Its successor was certainly used before, or the grace was certainly over (WireContract 5.3).
    private func isReuse(_ asked: Asked, _ generation: Int, _ lineage: Lineage) -> Bool {
        guard lineage.rotates else { return false }
        let before = requests.filter {
            $0.act == .refresh && $0.lineage == asked.lineage && $0.granted != nil
                && $0.ended(before: asked.startedStep)
        }
        return before.contains { used in
            guard let other = lineage.generation(of: used.presented) else { return false }
            if other > generation { return true }
            let ended = used.endedAt ?? .max
            return other == generation && asked.startedAt > ended
                && asked.startedAt - ended > Self.grace + slack
        }
    }

    /// Certainly unused, or certainly a retry inside the grace.
    private func isLeafOrRetry(_ asked: Asked, _ generation: Int, _ lineage: Lineage) -> Bool {
        guard lineage.rotates else { return true }
        let others = requests.filter {
            $0.act == .refresh && $0.lineage == asked.lineage && $0.isRight
                && $0.number != asked.number && $0.began(before: asked.endedStep)
        }
        var first = UInt64.max
        for other in others {
            guard let known = lineage.generation(of: other.presented) else { continue }
            if known > generation { return false }
            if known == generation { first = min(first, other.startedAt) }
        }
        guard first != .max else { return true }
        return (asked.endedAt ?? .max) < first + Self.grace - min(slack, Self.grace)
    }

    /// I5: the same token always gets the byte-identical successor.
    private func judgeSuccessor(
        _ granted: Asked.Granted,
        _ generation: Int,
        _ lineage: Lineage,
        _ asked: Asked
    ) {
        guard lineage.rotates else {
            if let token = granted.refreshToken, token != asked.presented {
                broken("I5", "a token was replaced without rotation", asked)
            }
            return
        }
        guard let next = granted.refreshToken else {
            return broken("I5", "a rotation without a successor", asked)
        }
        if generation + 1 < lineage.tokens.count, lineage.tokens[generation + 1] != next {
            broken("I5", "two successors of one refresh token", asked)
        }
    }

    // MARK: - Introspection

    private func judgeIntrospection(_ asked: Asked) {
        let lineage = lineages[asked.lineage]
        if let access = lineage.accessTokens.first(where: { $0.text == asked.presented }) {
            return judgeIntrospection(asked, ofAccessTokenUntil: access.expiresAt)
        }
        guard let generation = lineage.generation(of: asked.presented) else { return }
        if asked.answer == .active { judgeAlive(asked) }
        let isNewest = !requests.contains {
            $0.act == .refresh && $0.lineage == asked.lineage && $0.isRight
                && $0.began(before: asked.endedStep)
                && (lineage.generation(of: $0.presented) ?? -1) >= generation
        }
        if asked.answer == .inactive, isNewest || !lineage.rotates, !mayHaveEnded(asked) {
            broken("I22", "a live refresh token was called inactive", asked)
        }
    }

    private func judgeIntrospection(_ asked: Asked, ofAccessTokenUntil end: UInt64) {
        let revocations = requests.filter {
            $0.act == .revokeAccess && $0.presented == asked.presented
        }
        if asked.answer == .active {
            judgeAlive(asked)
            if asked.startedAt > end + slack { broken("I8", "an expired token is active", asked) }
            if revocations.contains(where: {
                $0.answer == .done && $0.ended(before: asked.startedStep)
            }) {
                broken("I4", "a revoked access token is active", asked)
            }
            if checks.keys.isGivenUp(asked.presented, before: asked.startedStep) {
                broken("I24", "a token by a key that was given up is active", asked)
            }
        }
        let mayBeRevoked =
            revocations.contains { $0.began(before: asked.endedStep) }
            || checks.keys.mayBeGivenUp(asked.presented, before: asked.endedStep)
        let mayBeOver = (asked.endedAt ?? .max) + slack > end
        if asked.answer == .inactive, !mayBeRevoked, !mayBeOver, !mayHaveEnded(asked) {
            broken("I22", "a live access token was called inactive", asked)
        }
    }

    // MARK: - Both

    private func judgeScope(_ granted: Asked.Granted, within text: String, _ asked: Asked) {
        guard let scope = Scope(granted.scope), let allowed = Scope(text),
            scope.isSubset(of: allowed)
        else { return broken("I7", "scope grew to \(granted.scope)", asked) }
    }

    /// A request has proven reuse: from here on the family is dead.
    private func die(_ asked: Asked) {
        let step = asked.endedStep ?? .max
        lineages[asked.lineage].diedBefore = min(lineages[asked.lineage].diedBefore ?? .max, step)
    }
}
