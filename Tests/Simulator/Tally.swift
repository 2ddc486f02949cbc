import Simulation

/// What the seeds of one run add up to.
struct Tally {
    private var seeds = 0
    private var caught = 0
    private var requests = 0
    private var events = 0
    private var departures: [String: Int] = [:]
    private var struck: [String: Int] = [:]
    private var deeds: [String: Int] = [:]

    mutating func add(_ outcome: Simulation.Outcome) {
        seeds += 1
        caught += outcome.violations.isEmpty ? 0 : 1
        requests += outcome.requests
        events += outcome.events
        departures.merge(outcome.departures, uniquingKeysWith: +)
        struck.merge(outcome.struck, uniquingKeysWith: +)
        deeds.merge(outcome.deeds, uniquingKeysWith: +)
    }

    func report() {
        print("clients left at:\(listed(departures))")
        print("faults struck:\(listed(struck))")
        print("deeds done:\(listed(deeds))")
        print("seeds \(seeds) caught \(caught) requests \(requests) events \(events)")
    }

    private func listed(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { " \($0.key) \($0.value)" }.joined()
    }
}
