extension ClientModel {
    /// I4: nothing passes that started after an acknowledged end.
    func judgeAlive(_ asked: Asked) {
        let lineage = lineages[asked.lineage]
        if let died = lineage.diedBefore, died < asked.startedStep {
            broken("I5", "\(asked.act) passed after a proven reuse", asked)
        }
        if let life = life(of: asked.lineage), let opened = opened(asked.lineage),
            asked.startedAt > opened.latest + life + slack
        {
            broken("I8", "\(asked.act) passed after its session's life", asked)
        }
        for ending in requests
        where ending.answer == .done && ending.ended(before: asked.startedStep) {
            guard ends(ending, lineage: asked.lineage) else { continue }
            broken("I4", "\(asked.act) passed after an acknowledged \(ending.act)", asked)
        }
    }

    /// When its session began at the earliest and at the latest, once somebody has redeemed it.
    private func opened(_ index: Int) -> (earliest: UInt64, latest: UInt64)? {
        guard
            let redeemed = requests.first(where: {
                $0.act == .redeem && $0.lineage == index && $0.granted != nil
            })
        else { return nil }
        return (redeemed.startedAt, redeemed.endedAt ?? redeemed.startedAt)
    }

    private func life(of index: Int) -> UInt64? {
        let isWeb = lineages[index].client.utf8.elementsEqual("web".utf8)
        return isWeb ? UInt64(Fixtures.webLifeSeconds) * 1_000_000_000 : nil
    }

    /// Everybody who was opened from a session that has ended is told so (WireContract 9.7).
    func judgeCascade() {
        let last = requests.last { $0.act == .logOut && $0.answer == .done }
        guard let last else { return }
        for lineage in lineages where lineage.isBound {
            guard let session = lineage.session, !checks.log.isRevoked(session) else { continue }
            broken("I4", "a session was left open by an acknowledged logout", last)
        }
    }

    /// Whether this request, if it succeeds, ends all of that lineage.
    private func ends(_ ending: Asked, lineage index: Int) -> Bool {
        switch ending.act {
        case .revoke: ending.isRight && ending.lineage == index
        case .logOut: lineages[index].isBound
        case .disableSubject: lineages[index].isOwned
        case .disableClient: lineages[index].client.utf8.elementsEqual("app".utf8)
        case .redeem, .refresh, .introspect, .revokeAccess: false
        }
    }

    // MARK: - A suspended project (decision 0201)

    /// It gives nobody anything, and refuses nobody what ends something.
    func judgeSuspension(_ asked: Asked) {
        let isHeld = checks.suspension.holds(from: asked.startedStep, to: asked.endedStep)
        if isHeld, asked.granted != nil || asked.answer == .active {
            broken("I4", "\(asked.act) passed in a suspended project", asked)
        }
        switch asked.act {
        case .revoke, .revokeAccess, .logOut:
            if asked.answer == .refused("unauthorized_client") {
                broken("I4", "a suspended project refused \(asked.act)", asked)
            }
        case .redeem, .refresh, .introspect, .disableSubject, .disableClient: break
        }
    }

    /// Whether a suspension may be why it did not pass; then nothing of it is done.
    ///
    /// What apps give their sessions up by is never due to one, nor that a client is unknown.
    func isOfSuspension(_ asked: Asked) -> Bool {
        guard checks.suspension.mayHold(before: asked.endedStep) else { return false }
        return switch asked.answer {
        case .inactive: true
        case .refused(let error): error.utf8.elementsEqual("unauthorized_client".utf8)
        case .granted, .active, .unknown, .done, nil: false
        }
    }

    /// Whether an operator has begun before `step` to disable a client or to suspend its project,
    /// done with it or not.
    func mayBeDisabled(_ client: String, before step: Int?) -> Bool {
        if checks.suspension.mayHold(before: step) { return true }
        return client.utf8.elementsEqual("app".utf8)
            && requests.contains { $0.act == .disableClient && $0.began(before: step) }
    }

    /// Whether an operator was told before `step` that a client is disabled.
    func isDisabled(_ client: String, before step: Int) -> Bool {
        client.utf8.elementsEqual("app".utf8)
            && requests.contains {
                $0.act == .disableClient && $0.answer == .done && $0.ended(before: step)
            }
    }

    /// Whether anything that began before this request was over may have ended its lineage.
    func mayHaveEnded(_ asked: Asked) -> Bool {
        if let life = life(of: asked.lineage), let opened = opened(asked.lineage),
            (asked.endedAt ?? .max) + min(slack, life) > opened.earliest + life
        {
            return true
        }
        return requests.contains { other in
            guard other.number != asked.number, other.began(before: asked.endedStep) else {
                return false
            }
            if ends(other, lineage: asked.lineage) { return true }
            guard other.lineage == asked.lineage, other.isRight, other.granted == nil else {
                return false
            }
            return switch other.act {
            case .redeem: mayBeReplay(other)
            case .refresh: mayBeReuse(other)
            case .introspect, .revoke, .revokeAccess, .logOut, .disableSubject, .disableClient:
                false
            }
        }
    }

    private func mayBeReplay(_ asked: Asked) -> Bool {
        let end = asked.effectAt ?? world.nanoseconds
        return requests.contains { other in
            guard other.lineage == asked.lineage, other.isRight, other.number != asked.number,
                other.began(before: asked.effectStep)
            else { return false }
            switch other.act {
            case .refresh: return true
            case .redeem: return end + slack > other.startedAt + Self.replayGrace
            case .introspect, .revoke, .revokeAccess, .logOut, .disableSubject, .disableClient:
                return false
            }
        }
    }

    private func mayBeReuse(_ asked: Asked) -> Bool {
        let lineage = lineages[asked.lineage]
        guard lineage.rotates, let generation = lineage.generation(of: asked.presented) else {
            return false
        }
        let end = asked.effectAt ?? world.nanoseconds
        return requests.contains { other in
            guard other.act == .refresh, other.lineage == asked.lineage, other.isRight,
                other.number != asked.number, other.began(before: asked.effectStep),
                let known = lineage.generation(of: other.presented)
            else { return false }
            if known > generation { return true }
            return known == generation && end + slack > other.startedAt + Self.grace
        }
    }
}
