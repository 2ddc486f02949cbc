import OAuth

// @unchecked: touched by the one thread that runs the simulation.
/// What WireContract promises phones (4.4 to 4.6, 5.2 to 5.7, 6, 7.3, 9.7), judged at each answer
/// from what was asked and heard alone, and when.
final class DeedModel: @unchecked Sendable {
    struct ThingInfo {
        var name: String
        /// It ends with any of these.
        var parents: [Thing]
        /// The request that made it.
        var maker: Int?
        /// A code that it came from: a replay of that may end it.
        var code: Artefact?
    }

    struct ArtefactInfo {
        var name: String
        var until: UInt64?
        /// When it is over for certain, where that is not known from the start.
        var latest: UInt64?
        /// What is answered when it has been used, and all else is right.
        var usedError: OAuthError.Code
    }

    let world: World
    let checks: Checks
    private(set) var deeds: [Deed] = []
    private(set) var things: [ThingInfo] = []
    var artefacts: [ArtefactInfo] = []
    /// Id tokens and device secrets of all phones.
    var passes: [Holding.Pass] = []
    /// How far clocks may be apart by now, in ns, and the time a request may take on the way.
    var slack: UInt64 { world.slack }
    /// All is well again: a failure to answer is a failure.
    var isCalm = false
    /// Where clocks were off by hours, what lives for minutes was dead at birth on some node.
    var isTimely: Bool { !world.hasSteppedClock }

    static let replayGrace: UInt64 = 10_000_000_000
    static let refreshGrace = UInt64(Fixtures.graceSeconds) * 1_000_000_000

    init(_ world: World, _ checks: Checks) {
        self.world = world
        self.checks = checks
    }

    // MARK: - What there is

    func thing(
        _ name: String,
        in parents: [Thing] = [],
        by maker: Int? = nil,
        of code: Artefact? = nil
    ) -> Thing {
        things.append(ThingInfo(name: name, parents: parents, maker: maker, code: code))
        return Thing(number: things.count - 1)
    }

    /// Asked for from `since` on, so that it may be as old.
    func artefact(
        _ name: String,
        seconds: UInt64? = nil,
        usedError: OAuthError.Code = .invalidRequest
    ) -> Artefact {
        let until = seconds.map { world.nanoseconds + $0 * 1_000_000_000 }
        artefacts.append(ArtefactInfo(name: name, until: until, usedError: usedError))
        return Artefact(number: artefacts.count - 1)
    }

    func begin(_ plan: Deed.Plan) -> Int {
        deeds.append(
            Deed(
                number: deeds.count,
                plan: plan,
                startedStep: world.steps,
                startedAt: world.nanoseconds
            )
        )
        return deeds.count - 1
    }

    /// `secret`, `code`: those that came back, if any did.
    func end(
        _ number: Int,
        _ answer: Deed.Answer,
        secret: [UInt8]? = nil,
        code: [UInt8]? = nil
    ) {
        deeds[number].endedStep = world.steps
        deeds[number].endedAt = world.nanoseconds
        deeds[number].answer = answer
        deeds[number].plan.secret?.got = secret
        deeds[number].plan.gives?.got = code
        deeds[number].isTooLax = isTooLax(deeds[number])
        let deed = deeds[number]
        switch answer {
        case .passed: judgePassed(deed)
        case .refused(let code):
            judgeRefused(deed, code)
            if code == .invalidGrant, deed.plan.isRight { deeds[number].saw = deed.plan.shows }
        case .unknown:
            if isCalm { broken("I16", "it was not answered though all is well", deed) }
        }
        if deed.isPassed, let use = deed.plan.secret, use.act == .revoke {
            deeds[number].plan.ends += sharedBy(use, of: deed)
        }
    }

    func broken(_ invariant: String, _ sentence: String, _ deed: Deed) {
        checks.broken(invariant, "\(deed.plan.act.rawValue): \(sentence), deed \(deed.number)")
    }

    // MARK: - Judging

    private func judgePassed(_ deed: Deed) {
        let plan = deed.plan
        guard plan.isRight else { return broken("I2", "passed though something is wrong", deed) }
        if deed.isTooLax { broken("I14", "passed by a login that does not count there", deed) }
        for artefact in plan.spends {
            let info = artefacts[artefact.number]
            let isUsed = deeds.contains {
                $0.number != deed.number && $0.isPassed && $0.plan.spends.contains(artefact)
            }
            if isUsed { broken("I1", "a \(info.name) worked twice", deed) }
            if let until = info.latest ?? info.until, deed.startedAt > until + slack {
                broken("I8", "an expired \(info.name) worked", deed)
            }
        }
        for thing in plan.needs {
            guard let ending = ending(of: thing, before: deed) else { continue }
            let name = things[thing.number].name
            let act = ending.plan.act.rawValue
            broken("I4", "passed on a \(name) after an acknowledged \(act)", deed)
        }
        if let until = plan.until, deed.startedAt > until + slack {
            broken("I8", "passed with what has expired", deed)
        }
        for token in plan.tokens where checks.keys.isGivenUp(token, before: deed.startedStep) {
            broken("I24", "passed by a key that was given up", deed)
        }
        if let shown = plan.shown, mustBeReuse(deed, shown) {
            broken("I5", "a spent refresh token worked", deed)
        }
        if let bound = plan.binds {
            let isOther = deeds.contains { other in
                guard other.isPassed, let known = other.plan.binds else { return false }
                return known.thing == bound.thing
                    && !known.key.utf8.elementsEqual(bound.key.utf8)
            }
            if isOther { broken("I3", "a second key was bound", deed) }
        }
        if let use = plan.secret { judge(use, of: deed) }
        if let given = plan.gives { judge(given, of: deed) }
    }

    private func judgeRefused(_ refused: Deed, _ code: OAuthError.Code) {
        let deed = asFarAsAsked(refused)
        let plan = deed.plan
        guard plan.isRight, isTimely, !mayBeExpired(deed),
            !mayHaveEnded(deed), !isOfSuspension(deed, code)
        else { return }
        if code == plan.counts?.error, mayBeTooLax(deed) { return }
        let used = plan.spends.filter { mayBeSpent($0, before: deed) }
        guard used.isEmpty else {
            if used.allSatisfy({ artefacts[$0.number].usedError != code }) {
                broken("I22", "refused with \(code.rawValue) for what was used", deed)
            }
            return
        }
        if let given = plan.gives, mayBeOver(given, for: deed) {
            if code != .invalidRequest {
                broken("I22", "refused with \(code.rawValue) for a code that is over", deed)
            }
            return
        }
        let what = deed.isTooLax ? "a login that does not count there" : "a good request"
        broken("I22", "\(what) was refused with \(code.rawValue)", deed)
    }

    /// Whether a suspension may be why it was refused (decision 0201): one code says so, and of
    /// introspection that the token is not active.
    private func isOfSuspension(_ deed: Deed, _ code: OAuthError.Code) -> Bool {
        guard checks.suspension.mayHold(before: deed.endedStep) else { return false }
        let isInactive =
            code == .invalidToken && deed.plan.act == .introspection
        return code == .unauthorizedClient || isInactive
    }

    func mayBeSpent(_ artefact: Artefact, before deed: Deed) -> Bool {
        deeds.contains {
            $0.number != deed.number && $0.plan.isRight && !$0.isRefused
                && $0.began(before: deed.endedStep) && $0.plan.spends.contains(artefact)
        }
    }

    private func mayBeExpired(_ deed: Deed) -> Bool {
        let end = deed.endedAt ?? .max - slack
        if let until = deed.plan.until, end + slack > until { return true }
        return deed.plan.spends.contains { artefact in
            artefacts[artefact.number].until.map { end + slack > $0 } ?? false
        }
    }

    /// Whether anything that it rests on may be over.
    private func mayHaveEnded(_ deed: Deed) -> Bool {
        let all = deed.plan.needs + deed.plan.leansOn
        if all.contains(where: { mayHaveEnded($0, before: deed) }) { return true }
        if let shown = deed.plan.shown, mayBeReuse(deed, shown) { return true }
        if let use = deed.plan.secret, !isGood(use, for: deed) { return true }
        let isGivenUp = deed.plan.tokens.contains {
            checks.keys.mayBeGivenUp($0, before: deed.endedStep)
        }
        if isGivenUp { return true }
        guard let bound = deed.plan.binds else { return false }
        return deeds.contains { other in
            guard let known = other.plan.binds, other.number != deed.number else { return false }
            return known.thing == bound.thing && !known.key.utf8.elementsEqual(bound.key.utf8)
                && !other.isRefused && other.began(before: deed.endedStep)
        }
    }
}
