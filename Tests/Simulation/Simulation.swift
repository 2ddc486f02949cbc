import Domain
import Runtime

/// One run of the simulated installation: what a seed gives.
package struct Simulation: Sendable {
    /// What a control build of the database gets wrong.
    package enum Control: String, CaseIterable, Sendable {
        case none, versionsIgnored, guardsIgnored, fenceIgnored, latenessIgnored
    }

    /// How a run ended.
    package struct Outcome: Sendable {
        /// Broken promises, the first one first; empty when all was well.
        package let violations: [String]
        /// Faults that struck, with their chances.
        package let faults: [String]
        /// What happened, a line each.
        package let history: [String]
        package let requests: Int
        package let events: Int
        package let steps: Int
        /// What requests waited for when their clients left, with how many of them.
        package let departures: [String: Int]
        /// How often each fault struck that strikes by chance; each has its place, also with none.
        package let struck: [String: Int]
        /// How often each kind of request was made; each has its place, also with none.
        package let deeds: [String: Int]
        let strikes: [Strike]
        /// The first broken promise.
        let first: String?
    }

    private let seed: UInt64
    private let muted: Set<Strike>
    private let turns: Int
    private let control: Control

    /// `turns`: how much each app does; fewer is what the shrinker tries.
    init(_ seed: UInt64, muted: Set<Strike> = [], turns: Int = 6, control: Control = .none) {
        self.seed = seed
        self.muted = muted
        self.turns = turns
        self.control = control
    }

    /// Runs a seed.
    package static func run(_ seed: UInt64, control: Control = .none) throws -> Outcome {
        try Simulation(seed, control: control).outcome()
    }

    func outcome() throws -> Outcome {
        let world = World(seed: seed, muted: muted)
        defer { world.end() }
        let installation = try Installation(world)
        installation.database.defect = defect
        let clients = try Clients(installation)
        // It has them, too.
        defer { (clients.regular, clients.desk) = (nil, nil) }
        let stage = Stage(installation, clients)
        guard let apps = stage.setUp() else { return outcome(installation, clients) }
        try installation.startReaders()
        world.faults.isOn = true
        try stage.play(apps, turns: turns)
        if installation.checks.violations.isEmpty { stage.heal() }
        if installation.checks.violations.isEmpty { stage.settle(apps) }
        if installation.checks.violations.isEmpty { stage.handOver() }
        return outcome(installation, clients)
    }

    private var defect: SimulatedDatabase.Defect {
        switch control {
        case .none: .none
        case .versionsIgnored: .versionsIgnored
        case .guardsIgnored: .guardsIgnored
        case .fenceIgnored: .fenceIgnored
        case .latenessIgnored: .latenessIgnored
        }
    }

    private func outcome(_ installation: Installation, _ clients: Clients) -> Outcome {
        Outcome(
            violations: installation.checks.violations.map(\.description),
            faults: installation.world.faults.struck.map(\.description),
            history: clients.model.requests.map(History.line)
                + clients.deeds.map(History.line),
            requests: clients.model.requests.count + clients.deeds.count,
            events: installation.checks.log.eventCount,
            steps: installation.world.steps,
            departures: departures(installation.checks.commands.visits),
            struck: struck(installation.world.faults.struck),
            deeds: Self.deeds(clients),
            strikes: installation.world.faults.struck,
            first: installation.checks.violations.first?.invariant
        )
    }

    private func struck(_ strikes: [Strike]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for fault in Fault.allCases where fault.perMille > 0 { counts["\(fault)"] = 0 }
        for strike in strikes { counts["\(strike.fault)", default: 0] += 1 }
        return counts
    }

    private func departures(_ visits: [Visit]) -> [String: Int] {
        let none = Dictionary(uniqueKeysWithValues: Visit.Place.allCases.map { ($0.rawValue, 0) })
        return visits.reduce(into: none) { counts, visit in
            counts[visit.place?.rawValue ?? "stayed", default: 0] += 1
        }
    }
}
