import Foundation
import TestSupport
import Testing

@Suite("Sessions under simulated faults", .serialized) struct SessionSimulationTests {
    @Test("no seed breaks a promise about sessions") func promises() async throws {
        let seeds = Seeds.list(ProcessInfo.processInfo.environment)
        var requests = 0
        for seed in seeds {
            let (violations, count) = try await simulate(seed)
            requests += count
            let hex = String(seed, radix: 16)
            #expect(
                violations.isEmpty,
                "seed 0x\(hex): \(violations[0]). Again: SEED=0x\(hex) deploy/test simulation"
            )
        }
        #expect(requests > seeds.count * 10)
        print("\(seeds.count) seeds, \(requests) requests")
    }

    @Test("the same seed gives the same history") func deterministic() async throws {
        let first = try await history(7)
        let second = try await history(7)
        #expect(first == second)
    }

    @Test("a log that ignores versions or guards is caught within 200 seeds")
    func controls() async throws {
        #expect(try await isCaught(.versionsIgnored))
        #expect(try await isCaught(.guardsIgnored))
    }

    private func simulate(_ seed: UInt64, _ defect: FaultyStore.Defect = .none)
        async throws -> (violations: [String], requests: Int)
    {
        let world = try await world(seed, defect)
        return (SessionModel.violations(world), world.entries.count)
    }

    private func world(_ seed: UInt64, _ defect: FaultyStore.Defect) async throws -> SessionWorld {
        let side = try await TokenSide()
        var codes: [String] = []
        for _ in 0..<2 { codes.append(try await side.code(browser: side.browser)) }
        let world = SessionWorld(side, seed: seed, defect: defect)
        world.run(codes)
        return world
    }

    private func history(_ seed: UInt64) async throws -> [String] {
        try await world(seed, .none).entries.map { "\($0)" }
    }

    private func isCaught(_ defect: FaultyStore.Defect) async throws -> Bool {
        for seed in UInt64(1)...200 where try await !simulate(seed, defect).violations.isEmpty {
            return true
        }
        return false
    }
}
