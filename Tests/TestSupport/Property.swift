import Foundation
import Runtime
package import Testing

/// Holds `property` against many generated values; a counterexample is made small and reported.
///
/// The report names the seed: `SEED=<it>` generates the same values again.
package func forAll<Value>(
    _ values: Generator<Value>,
    runs: Int = 200,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ property: (Value) throws -> Void
) rethrows {
    let seed = Property.seed
    for run in 0..<runs {
        var choices = Choices(seed: seed &+ UInt64(run))
        let value = values.make(&choices)
        guard Property.fails(value, property) else { continue }
        let smallest = Property.shrink(choices.drawn, values, property)
        var replay = Choices(replaying: smallest)
        let counterexample = values.make(&replay)
        Issue.record(
            "SEED=\(seed), run \(run); smallest case: \(counterexample)",
            sourceLocation: sourceLocation
        )
        try property(counterexample)
        return
    }
}

/// As above, for pairs.
package func forAll<First, Second>(
    _ first: Generator<First>,
    _ second: Generator<Second>,
    runs: Int = 200,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ property: (First, Second) throws -> Void
) rethrows {
    let pairs = Generator<(First, Second)> { (first.make(&$0), second.make(&$0)) }
    try forAll(pairs, runs: runs, sourceLocation: sourceLocation) { try property($0.0, $0.1) }
}

/// Finding and shrinking of counterexamples.
private enum Property {
    /// Tries of making a counterexample smaller.
    static let shrinksMax = 300

    static var seed: UInt64 {
        ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0...0xFFFF_FFFF)
    }

    /// Whether the property expects in vain or throws; neither is reported yet.
    static func fails<Value>(_ value: Value, _ property: (Value) throws -> Void) -> Bool {
        let failed = Guarded(false)
        // Of the many tries of making a counterexample smaller none is reported.
        withKnownIssue(isIntermittent: true) {
            do { try property(value) } catch { failed.withLock { $0 = true } }
        } matching: { _ in
            failed.withLock { $0 = true }
            return true
        }
        return failed.current
    }

    /// Leaves choices out, then makes them smaller, as long as the property fails.
    static func shrink<Value>(
        _ drawn: [UInt64],
        _ values: Generator<Value>,
        _ property: (Value) throws -> Void
    ) -> [UInt64] {
        var best = drawn
        var tries = 0
        var progress = true
        while progress {
            progress = false
            for candidate in candidates(best) {
                tries += 1
                guard tries <= shrinksMax else { return best }
                var choices = Choices(replaying: candidate)
                guard fails(values.make(&choices), property) else { continue }
                best = candidate
                progress = true
                break
            }
        }
        return best
    }

    /// Simpler lists of choices, the boldest first.
    private static func candidates(_ drawn: [UInt64]) -> [[UInt64]] {
        var candidates: [[UInt64]] = []
        var length = drawn.count
        while length > 0 {
            for start in stride(from: 0, to: drawn.count, by: length) {
                var shorter = drawn
                shorter.removeSubrange(start..<min(start + length, drawn.count))
                candidates.append(shorter)
            }
            length /= 2
        }
        for index in drawn.indices where drawn[index] > 0 {
            var step = drawn[index]
            while step > 0 {
                var simpler = drawn
                simpler[index] -= step
                candidates.append(simpler)
                step /= 2
            }
        }
        return candidates
    }
}
