/// The numbers a generator drew: kept, so that a failing case can be replayed and made smaller.
package struct Choices: Sendable {
    package private(set) var drawn: [UInt64] = []
    private let replayed: [UInt64]?
    private var random: SplitMix

    /// Draws from a seed.
    package init(seed: UInt64) {
        replayed = nil
        random = SplitMix(state: seed)
    }

    /// Draws what was drawn before; past its end always 0, the smallest choice.
    package init(replaying drawn: [UInt64]) {
        replayed = drawn
        random = SplitMix(state: 0)
    }

    /// A number from 0 to `bound` - 1; smaller is simpler.
    package mutating func draw(below bound: UInt64) -> UInt64 {
        precondition(bound > 0, "nothing to choose from")
        let raw: UInt64
        if let replayed {
            raw = drawn.count < replayed.count ? min(replayed[drawn.count], bound - 1) : 0
        } else {
            raw = random.next() % bound
        }
        drawn.append(raw)
        return raw
    }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    private struct SplitMix {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
