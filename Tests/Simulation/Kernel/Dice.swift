/// Numbers that look random and are the same for the same seed (SplitMix64).
struct Dice {
    private var state: UInt64

    /// Dice of different purposes share a seed and do not disturb each other.
    init(seed: UInt64, purpose: UInt64) {
        state = Self.mix(seed ^ Self.mix(purpose))
    }

    /// From 0 up to but not including `bound`.
    mutating func draw(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Int(Self.mix(state) % UInt64(max(1, bound)))
    }

    /// True in `count` of a thousand.
    mutating func strikes(_ count: Int) -> Bool { draw(1000) < count }

    /// Spreads the bits of a number.
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
