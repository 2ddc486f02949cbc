import OAuth

// Where a login counts, by how it was approved (WireContract 7.3, decision 0240).
extension DeedModel {
    /// Whether none of the logins that may be the newest is one that the client takes.
    func isTooLax(_ deed: Deed) -> Bool {
        let taken = verdicts(on: deed)
        return !taken.isEmpty && !taken.contains(true)
    }

    /// Whether the newest login may be one that the client does not take.
    func mayBeTooLax(_ deed: Deed) -> Bool { verdicts(on: deed).contains(false) }

    /// What is asked before the login of an app that lets another in, where that does not count for
    /// certain.
    ///
    /// The session, its refresh token and the proof of its key may be why it was refused; the
    /// device key and the challenge come after the policy (WireContract 5.4, steps 8 to 10).
    func asFarAsAsked(_ deed: Deed) -> Deed {
        guard deed.isTooLax, deed.plan.act == .app2app else { return deed }
        var asked = deed
        asked.plan.binds = nil
        asked.plan.spends.removeAll { artefacts[$0.number].usedError != .invalidDPoPProof }
        return asked
    }

    /// Of each login that may be the newest, whether the client takes it.
    private func verdicts(on deed: Deed) -> [Bool] {
        guard let asked = deed.plan.counts else { return [] }
        return approvals(of: asked.thing, for: deed).map { asked.policy.takes($0) }
    }

    /// How the newest login of `thing` was approved, at some moment of a request: more than one
    /// where another login is under way, or nobody has heard what became of it.
    private func approvals(of thing: Thing, for deed: Deed) -> [Approval] {
        let logins = deeds.filter { other in
            other.plan.login?.thing == thing && other.plan.isRight && !other.isRefused
                && other.number != deed.number && other.began(before: deed.endedStep)
                && !cameToNothing(other)
        }
        let newest = logins.filter { one in
            !logins.contains { later in
                later.isPassed && later.ended(before: deed.startedStep)
                    && one.effectStep.map { $0 < later.startedStep } ?? false
            }
        }
        return newest.flatMap { login -> [Approval] in
            switch login.plan.login?.source {
            case .approved(let approval): [approval]
            case .newest(let session): approvals(of: session, for: login)
            case nil: []
            }
        }
    }

    /// Whether a login of which nobody has heard made none: what it came by works once, and another
    /// has passed by it.
    private func cameToNothing(_ login: Deed) -> Bool {
        guard login.effectStep == nil else { return false }
        return deeds.contains { other in
            other.isPassed && other.number != login.number
                && other.plan.spends.contains { login.plan.spends.contains($0) }
        }
    }
}
