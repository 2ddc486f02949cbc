/// How a request uses a device secret (WireContract 5.1).
struct SecretUse: Sendable {
    enum Act: Sendable { case join, url, refresh, revoke }

    var act: Act
    /// Whose: the thing that stands for all that was obtained with it.
    var shares: Thing
    /// Its place among those that were handed out; nil: none was presented.
    var index: Int?
    /// What came back.
    var got: [UInt8]?
}

extension DeedModel {
    private static let secretGrace: UInt64 = 60_000_000_000

    /// I5 and I4 for device secrets: a value dies when its successor is used, after 60 s, or when
    /// it is revoked; and one value has one successor.
    func judge(_ use: SecretUse, of deed: Deed) {
        guard let index = use.index else { return }
        switch use.act {
        case .join, .url:
            if isOver(index, use, before: deed) {
                broken("I5", "a device secret worked that was over", deed)
            }
        case .refresh, .revoke: break
        }
        guard use.act == .url, let got = use.got else { return }
        let isOther = deeds.contains { other in
            guard let known = other.plan.secret, known.act == .url, known.index == index,
                known.shares == use.shares, let before = known.got
            else { return false }
            return before != got
        }
        if isOther { broken("I5", "two successors of one device secret", deed) }
    }

    private func isOver(_ index: Int, _ use: SecretUse, before deed: Deed) -> Bool {
        deeds.contains { other in
            guard other.isPassed, other.ended(before: deed.startedStep),
                let known = other.plan.secret, known.shares == use.shares,
                let place = known.index, let ended = other.endedAt
            else { return false }
            switch known.act {
            case .join: return place > index
            case .url:
                let isLate = deed.startedAt > ended + Self.secretGrace + slack
                return place > index || (place == index && isLate)
            case .revoke: return place == index
            case .refresh: return false
            }
        }
    }

    /// Certainly good: the newest, or the one before while its successor is just handed over.
    func isGood(_ use: SecretUse, for deed: Deed) -> Bool {
        guard use.act == .join || use.act == .url, let index = use.index else { return true }
        var first = UInt64.max
        for (other, known) in changes(of: use.shares, beside: index, before: deed) {
            guard known.act == .url, known.index == index else { return false }
            first = min(first, other.startedAt)
        }
        return first == .max || (deed.endedAt ?? .max - slack) + slack < first + Self.secretGrace
    }

    private func isNewest(_ index: Int, of shares: Thing, for deed: Deed) -> Bool {
        changes(of: shares, beside: index, before: deed).isEmpty
    }

    /// What may have replaced the secret of this place, or ended it, before `deed` was over.
    private func changes(of shares: Thing, beside index: Int, before deed: Deed)
        -> [(Deed, SecretUse)]
    {
        deeds.compactMap { other in
            guard other.number != deed.number, other.plan.isRight, !other.isRefused,
                other.began(before: deed.endedStep), let known = other.plan.secret,
                known.shares == shares
            else { return nil }
            let isSame = known.index == index
            // Who shows an earlier value hears of this one; a refresh may go on to the next.
            let isHarmless =
                switch known.act {
                case .join: known.index ?? 0 <= index
                case .url: known.index ?? 0 < index
                case .refresh: isSame
                case .revoke: false
                }
            return isHarmless ? nil : (other, known)
        }
    }

    /// What came by the very secret that was revoked, when that was the current one.
    func sharedBy(_ use: SecretUse, of deed: Deed) -> [Thing] {
        guard let index = use.index, isNewest(index, of: use.shares, for: deed) else { return [] }
        return things.indices.map { Thing(number: $0) }.filter { thing in
            guard let maker = things[thing.number].maker.map({ deeds[$0] }), maker.isPassed,
                maker.ended(before: deed.startedStep), let known = maker.plan.secret
            else { return false }
            return known.act == .join && known.shares == use.shares && known.index == index
        }
    }
}
