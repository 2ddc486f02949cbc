/// Makes a failing run small: fewer faults, less done, as long as the same invariant breaks.
package struct Shrinker: Sendable {
    /// Runs it takes at most.
    static let runsMax = 60

    private let seed: UInt64
    private let control: Simulation.Control

    package init(_ seed: UInt64, control: Simulation.Control = .none) {
        self.seed = seed
        self.control = control
    }

    /// The smallest failing run that was found; nil when the seed does not fail.
    package func smallest() throws -> Simulation.Outcome? {
        var best = try run([], 6)
        guard let invariant = best.first else { return nil }
        var turns = 6
        var runs = 0
        for fewer in 1..<6 {
            let outcome = try run([], fewer)
            runs += 1
            guard outcome.first == invariant else { continue }
            (best, turns) = (outcome, fewer)
            break
        }
        var muted: Set<Strike> = []
        var length = max(1, best.strikes.count / 2)
        while length > 0, runs < Self.runsMax {
            var isSmaller = false
            for start in stride(from: 0, to: best.strikes.count, by: length) {
                guard start < best.strikes.count, runs < Self.runsMax else { break }
                let end = min(start + length, best.strikes.count)
                let candidate = muted.union(best.strikes[start..<end])
                let outcome = try run(candidate, turns)
                runs += 1
                guard outcome.first == invariant,
                    outcome.strikes.count < best.strikes.count
                else { continue }
                (best, muted) = (outcome, candidate)
                isSmaller = true
            }
            if !isSmaller { length /= 2 }
        }
        return best
    }

    private func run(_ muted: Set<Strike>, _ turns: Int) throws -> Simulation.Outcome {
        try Simulation(seed, muted: muted, turns: turns, control: control).outcome()
    }
}
