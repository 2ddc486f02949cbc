import Foundation
import Runtime

/// What every process on the way from commit to consumer does meanwhile, and the relay's stages.
struct WayMeter {
    private struct Reading {
        var families: [String: FamilyTime] = [:]
        /// Of all CPUs, whoever used it.
        var busyNanoseconds: UInt64 = 0
        var buckets: [String: [(bound: Double, count: Double)]] = [:]
        let instant = MonotonicInstant.now()
    }

    private static let programs = ["token-issuer", "event-relay", "revocation-projector"]
    private static let stages = ["read", "acknowledge", "record"]

    private let stack: Stack
    private let begin: Reading

    init(_ stack: Stack) {
        self.stack = stack
        begin = Self.read(stack)
    }

    /// Lines for the report.
    func finish() -> [String] {
        let end = Self.read(stack)
        let seconds = end.instant.since(begin.instant) / .seconds(1)
        func share(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / seconds / 1e7 }
        let shares = end.families.reduce(into: [String: UInt64]()) { shares, entry in
            shares[entry.key] = begin.families[entry.key].map { entry.value.spent(since: $0) }
        }
        let ours = shares.values.reduce(0, +)
        let all = end.busyNanoseconds &- begin.busyNanoseconds
        let parts = shares.sorted { $0.value > $1.value }.map { name, nanoseconds in
            String(format: "%@ %.0f", name, share(nanoseconds))
        }
        let others = String(format: ", all others %.0f", share(all > ours ? all - ours : 0))
        return ["CPU in % of one: " + parts.joined(separator: ", ") + others]
            + Self.stages.compactMap { stage in
                guard let before = begin.buckets[stage], let after = end.buckets[stage] else {
                    return nil
                }
                return "relay, \(stage): " + Self.quantiles(before, after)
            }
    }

    private static func read(_ stack: Stack) -> Reading {
        var reading = Reading()
        for program in programs {
            reading.families[program] = FamilyTime(of: stack.process(of: program))
        }
        reading.families["PostgreSQL"] = FamilyTime(of: stack.postgresProcess)
        let services = stack.services?.processIdentifier ?? 0
        reading.families["Kafka"] = FamilyTime(of: services)
        reading.families["load and consumer"] = FamilyTime(alone: ThisProcess.number)
        reading.busyNanoseconds = Machine.busyNanoseconds
        let text = stack.metrics(of: "event-relay")
        for stage in stages { reading.buckets[stage] = buckets(of: stage, in: text) }
        return reading
    }

    private static func buckets(
        of stage: String,
        in text: String
    ) -> [(bound: Double, count: Double)] {
        let name = "chancery_relay_stage_seconds_bucket{stage=\"\(stage)\",le=\""
        return text.split(separator: "\n").filter { $0.hasPrefix(name) }.compactMap { line in
            let rest = line.dropFirst(name.count)
            guard let bound = Double(rest.prefix { $0 != "\"" }),
                let count = rest.split(separator: " ").last.flatMap({ Double($0) })
            else { return nil }
            return (bound, count)
        }
    }

    /// From the buckets, between their bounds in proportion.
    private static func quantiles(
        _ before: [(bound: Double, count: Double)],
        _ after: [(bound: Double, count: Double)]
    ) -> String {
        let counts = zip(before, after).map { (bound: $1.bound, count: $1.count - $0.count) }
        let total = counts.last?.count ?? 0
        func quantile(_ share: Double) -> Double {
            var (lower, below) = (0.0, 0.0)
            for step in counts {
                if step.count >= share * total, step.count > below, step.bound.isFinite {
                    let part = (share * total - below) / (step.count - below)
                    return (lower + (step.bound - lower) * part) * 1000
                }
                (lower, below) = (step.bound, step.count)
            }
            return lower * 1000
        }
        return String(
            format: "%.0f times, p50 %.1f, p99 %.1f ms",
            total,
            quantile(0.5),
            quantile(0.99)
        )
    }
}
