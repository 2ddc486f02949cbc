import Simulation

/// Runs the simulator: `simulator FROM-TO` on many seeds, `simulator SEED` on one, made small.
///
/// With `--first` it stops at the first seed that breaks a promise.
@main
enum Simulator {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let stops = arguments.contains("--first")
        let seeds = Seeds(arguments.filter { $0 != "--first" }).list
        var run = 0
        var caught = 0
        var requests = 0
        var events = 0
        var departures: [String: Int] = [:]
        for seed in seeds {
            let outcome = try Simulation.run(seed)
            run += 1
            requests += outcome.requests
            events += outcome.events
            departures.merge(outcome.departures) { $0 + $1 }
            guard let first = outcome.violations.first else { continue }
            caught += 1
            print("0x\(String(seed, radix: 16)) \(first)")
            if seeds.count == 1 { try explain(seed) }
            if stops { break }
        }
        let left = departures.sorted { $0.key < $1.key }.map { " \($0.key) \($0.value)" }
        print("clients left at:\(left.joined())")
        print("seeds \(run) caught \(caught) requests \(requests) events \(events)")
    }

    private static func explain(_ seed: UInt64) throws {
        guard let smallest = try Shrinker(seed).smallest() else { return }
        print("smallest run: \(smallest.requests) requests, \(smallest.faults.count) faults")
        for line in smallest.violations + smallest.faults + smallest.history { print("  \(line)") }
    }
}
