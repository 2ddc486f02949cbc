import Glibc
import Simulation

/// Runs the simulator: `simulator FROM-TO` on many seeds, `simulator SEED` on one, made small.
///
/// Of many it says at which it is: one that crashes is the last it names. With `--first` it stops
/// at the first seed that breaks a promise. With `--control=NAME` the database forgets a rule,
/// which is to break one. `--controls` prints their names.
@main
enum Simulator {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let controls = Simulation.Control.allCases.filter { $0 != .none }
        guard !arguments.contains("--controls") else {
            for control in controls { print(control.rawValue) }
            return
        }
        let control = controls.first { arguments.contains("--control=\($0.rawValue)") } ?? .none
        let seeds = Seeds(arguments.filter { !$0.hasPrefix("--") }).list
        var tally = Tally()
        for seed in seeds {
            if seeds.count > 1 || arguments.contains("--first") { announce(seed) }
            let outcome = try Simulation.run(seed, control: control)
            tally.add(outcome)
            guard let first = outcome.violations.first else { continue }
            print("0x\(String(seed, radix: 16)) \(first)")
            // A seed that crashes takes no other's finding along.
            fflush(nil)
            if seeds.count == 1 { try explain(Shrinker(seed, control: control)) }
            if arguments.contains("--first") { break }
        }
        tally.report()
    }

    private static func announce(_ seed: UInt64) {
        print("at 0x\(String(seed, radix: 16))")
        fflush(nil)
    }

    private static func explain(_ shrinker: Shrinker) throws {
        guard let smallest = try shrinker.smallest() else { return }
        print("smallest run: \(smallest.requests) requests, \(smallest.faults.count) faults")
        for line in smallest.violations + smallest.faults + smallest.history { print("  \(line)") }
    }
}
