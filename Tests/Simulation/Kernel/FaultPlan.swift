/// Decides by seed alone which chance of a fault strikes: taking one away moves no other.
struct FaultPlan {
    private let seed: UInt64
    private let muted: Set<Strike>
    private var enabled: Set<Fault> = []
    private var chances: [Fault: Int] = [:]
    /// What has struck so far.
    private(set) var struck: [Strike] = []
    /// Off while the world is set up and after it has healed.
    var isOn = false

    /// About half of the faults are on in a seed, so that each meets calm and company.
    init(seed: UInt64, muted: Set<Strike>) {
        self.seed = seed
        self.muted = muted
        var dice = Dice(seed: seed, purpose: 1)
        for fault in Fault.allCases where dice.strikes(450) { enabled.insert(fault) }
    }

    func isEnabled(_ fault: Fault) -> Bool { enabled.contains(fault) }

    /// Takes a chance.
    mutating func strikes(_ fault: Fault) -> Bool {
        guard isOn, enabled.contains(fault) else { return false }
        let chance = chances[fault, default: 0]
        chances[fault] = chance + 1
        let number = UInt64(fault.rawValue) << 32 | UInt64(chance)
        var dice = Dice(seed: seed, purpose: number | 1 << 48)
        guard dice.strikes(fault.perMille) else { return false }
        let strike = Strike(fault: fault, chance: chance)
        guard !muted.contains(strike) else { return false }
        struck.append(strike)
        return true
    }
}
