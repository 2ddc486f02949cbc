import Foundation
@testable import Simulation
import Testing

@Suite("An installation under simulated faults", .serialized)
struct InstallationSimulationTests {
    /// Seeds know nothing of each other: both processors take a part.
    @Test("no seed breaks a promise") func promises() async throws {
        let seeds = Seeds.list(ProcessInfo.processInfo.environment)
        let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
            for part in 0..<2 {
                let share = seeds.indices.filter { $0 % 2 == part }.map { seeds[$0] }
                group.addTask { try run(share, isAlone: seeds.count == 1) }
            }
            return try await group.reduce(into: Tally()) { $0.add($1) }
        }
        #expect(tally.requests > seeds.count * 5)
        // A fault, or a request, that nobody asks for any more would look as if it broke nothing.
        guard seeds.count >= 100 else { return }
        for (fault, count) in tally.struck { #expect(count > 0, "\(fault) never struck") }
        // Those by a login that does not count are few.
        for (deed, count) in tally.deeds where seeds.count >= 400 || !deed.hasSuffix("-lax") {
            #expect(count > 0, "\(deed) was never done")
        }
    }

    private struct Tally {
        var requests = 0
        var struck: [String: Int] = [:]
        var deeds: [String: Int] = [:]

        mutating func add(_ other: Self) {
            requests += other.requests
            struck.merge(other.struck, uniquingKeysWith: +)
            deeds.merge(other.deeds, uniquingKeysWith: +)
        }
    }

    private func run(_ seeds: [UInt64], isAlone: Bool) throws -> Tally {
        var tally = Tally()
        for seed in seeds {
            let outcome = try Simulation.run(seed)
            tally.requests += outcome.requests
            tally.struck.merge(outcome.struck, uniquingKeysWith: +)
            tally.deeds.merge(outcome.deeds, uniquingKeysWith: +)
            guard let first = outcome.violations.first else { continue }
            let hex = String(seed, radix: 16)
            Issue.record("0x\(hex): \(first). Again: SEED=0x\(hex) deploy/test simulation")
            if isAlone { try explain(seed) }
        }
        return tally
    }

    /// The smallest failing run, in full.
    private func explain(_ seed: UInt64) throws {
        guard let smallest = try Shrinker(seed).smallest() else { return }
        let lines = smallest.violations + smallest.faults + smallest.history
        Issue.record("smallest run of it:\n\(lines.joined(separator: "\n"))")
    }

    @Test("the same seed gives the same run", arguments: [7, 11, 42] as [UInt64])
    func deterministic(_ seed: UInt64) throws {
        let first = try Simulation.run(seed)
        let second = try Simulation.run(seed)
        #expect(first.history == second.history)
        #expect(first.faults == second.faults)
        #expect(first.steps == second.steps)
    }

    @Test("a kind of request that a run has not made is counted as none") func uncounted() throws {
        let deeds = try Simulation.run(1).deeds
        #expect(deeds.values.contains(0))
        for act in Deed.Act.allCases {
            #expect(deeds["\(act)"] != nil || deeds["\(act)-wrong"] != nil, "\(act)")
        }
    }

    @Test("times are judged strictly until a clock is set wrong, and loosely from then on")
    func clockStep() throws {
        let seeds = (1 as UInt64)...1_000
        let seed = seeds.first { World(seed: $0).faults.isEnabled(.clockStep) }
        let world = World(seed: try #require(seed))
        defer { world.end() }
        let process = try world.process("issuer")
        #expect(!world.hasSteppedClock && world.slack == 2_000_000_000)
        world.stepClock(of: process, byMicroseconds: 7_200_000_000)
        // Right again, it has made what lives too long.
        process.skewMicroseconds = 0
        #expect(world.hasSteppedClock && world.slack > 2 * 7_200_000_000_000)
    }

    @Test("a run gives its descriptors back", arguments: [1, 2, 3, 7] as [UInt64])
    func descriptors(_ seed: UInt64) throws {
        let before = try Self.openDescriptors()
        _ = try Simulation.run(seed)
        #expect(try Self.openDescriptors() == before)
    }

    private static func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    @Test("a failing run is made smaller") func shrinks() throws {
        for seed in UInt64(1)...200 {
            let first = try Simulation.run(seed, control: .versionsIgnored)
            guard !first.violations.isEmpty, first.faults.count > 1 else { continue }
            let smallest = try Shrinker(seed, control: .versionsIgnored).smallest()
            let found = try #require(smallest)
            #expect(found.first == first.first)
            // With a fault less a run may come further before it breaks.
            #expect(found.faults.count < first.faults.count)
            return
        }
        Issue.record("no seed to shrink")
    }
}
