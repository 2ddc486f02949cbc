// What ends what (WireContract 9.7), and when a client knows of it.
extension DeedModel {
    /// Itself and all it rests on.
    private func roots(of thing: Thing) -> [Thing] {
        var found = [thing]
        var index = 0
        while index < found.count {
            for parent in things[found[index].number].parents where !found.contains(parent) {
                found.append(parent)
            }
            index += 1
        }
        return found
    }

    /// Whether `thing` is over for whoever asks now.
    func hasEnded(_ thing: Thing) -> Bool {
        ending(of: thing, beforeStep: world.steps, except: -1) != nil
    }

    /// Whether its end was acknowledged: then all it ends is recorded, too.
    func isEnded(_ thing: Thing) -> Bool {
        ending(of: thing, beforeStep: world.steps, except: -1, onSight: false) != nil
    }

    /// What has ended it for certain, acknowledged before this request began.
    func ending(of thing: Thing, before deed: Deed) -> Deed? {
        ending(of: thing, beforeStep: deed.startedStep, except: deed.number)
    }

    private func ending(
        of thing: Thing,
        beforeStep step: Int,
        except number: Int,
        onSight: Bool = true
    ) -> Deed? {
        for one in roots(of: thing) {
            let maker = things[one.number].maker.map { deeds[$0] }
            for other in deeds where other.ended(before: step) && other.number != number {
                if onSight, other.saw.contains(one) { return other }
                guard other.isPassed else { continue }
                if other.plan.ends.contains(one) { return other }
                guard let maker, let place = maker.plan.place, other.plan.place == place,
                    other.number != maker.number, maker.ended(before: other.startedStep)
                else { continue }
                return other
            }
        }
        return nil
    }

    /// Whether anything that began before this request was over may have ended `thing`.
    func mayHaveEnded(_ thing: Thing, before deed: Deed) -> Bool {
        roots(of: thing).contains { one in
            deeds.contains { other in
                other.number != deed.number && other.plan.isRight
                    && other.began(before: deed.endedStep) && mayEnd(other, one)
            }
        }
    }

    private func mayEnd(_ other: Deed, _ thing: Thing) -> Bool {
        let plan = other.plan
        if !other.isRefused, plan.ends.contains(thing) || plan.perhapsEnds.contains(thing) {
            return true
        }
        if let shown = plan.shown, shown.ends.contains(thing), !other.isPassed,
            mayBeReuse(other, shown)
        {
            return true
        }
        let info = things[thing.number]
        guard let maker = info.maker.map({ deeds[$0] }), maker.number != other.number else {
            return false
        }
        if let place = maker.plan.place, plan.place == place, !other.isRefused {
            let isBefore = other.effectStep.map { $0 < maker.startedStep } ?? false
            if !isBefore { return true }
        }
        guard let code = info.code, plan.spends.contains(code) else { return false }
        return mayReplay(other, maker, thing)
    }

    /// A code that comes again ends what it gave, once that was used or ten seconds are over; one
    /// that made no new thing ends none (decision 0133).
    private func mayReplay(_ other: Deed, _ maker: Deed, _ thing: Thing) -> Bool {
        let end = other.effectAt ?? .max - slack
        if end + slack > maker.startedAt + Self.replayGrace { return true }
        return deeds.contains { use in
            use.began(before: other.effectStep) && use.number != maker.number
                && use.plan.needs.contains { roots(of: $0).contains(thing) }
        }
    }

    // MARK: - Refresh tokens (5.3)

    /// A later one may have been used before this one arrived, or this one replaced long ago; an
    /// approval uses the token that it shows, and does not replace it (decision 0255).
    func mayBeReuse(_ deed: Deed, _ shown: Deed.Shown) -> Bool {
        let end = deed.effectAt ?? .max - slack
        return deeds.contains { other in
            guard other.number != deed.number, other.plan.isRight, !other.isRefused,
                let known = other.plan.shown, known.family == shown.family,
                known.use != .unrecorded, other.began(before: deed.effectStep)
            else { return false }
            if known.generation > shown.generation { return true }
            return known.generation == shown.generation && known.use == .replaced
                && end + slack > other.startedAt + Self.refreshGrace
        }
    }

    /// A later one was certainly used before, or the grace was certainly over.
    func mustBeReuse(_ deed: Deed, _ shown: Deed.Shown) -> Bool {
        deeds.contains { other in
            guard other.isPassed, let known = other.plan.shown, known.family == shown.family,
                known.use != .unrecorded, other.ended(before: deed.startedStep),
                let ended = other.endedAt
            else { return false }
            if known.generation > shown.generation { return true }
            return known.generation == shown.generation && known.use == .replaced
                && deed.startedAt > ended + Self.refreshGrace + slack
        }
    }
}
