// A request of a browser ends with one code, however often its button is pressed (decision 0128).
extension DeedModel {
    private static let codeLife: UInt64 = 60_000_000_000

    /// I1, I8: byte for byte the same; never once it was redeemed, or is too old.
    func judge(_ given: Deed.Ending, of deed: Deed) {
        for other in deeds where other.number != deed.number && other.isPassed {
            if other.plan.spends.contains(given.code), other.ended(before: deed.startedStep) {
                broken("I1", "a code came again that was redeemed", deed)
            }
            if let known = other.plan.gives, known.code == given.code, known.got != given.got {
                broken("I1", "two codes of one request", deed)
            }
        }
        if let latest = artefacts[given.code.number].latest, deed.startedAt > latest + slack {
            broken("I8", "a code came again that is too old", deed)
        }
        // Who has it knows that it was made before.
        let latest = world.nanoseconds + Self.codeLife
        artefacts[given.code.number].latest = min(
            artefacts[given.code.number].latest ?? latest,
            latest
        )
    }

    /// Perhaps redeemed meanwhile, or made too long ago.
    func mayBeOver(_ given: Deed.Ending, for deed: Deed) -> Bool {
        if mayBeSpent(given.code, before: deed) { return true }
        let end = deed.endedAt ?? .max - slack
        return deeds.contains { other in
            other.number != deed.number && other.plan.isRight && !other.isRefused
                && other.plan.gives?.code == given.code
                && end + slack > other.startedAt + Self.codeLife
        }
    }
}
