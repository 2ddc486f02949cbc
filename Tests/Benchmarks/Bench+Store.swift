import Foundation
import Runtime

/// The lines about the size of the store.
extension Bench {
    // MARK: Flatness

    /// Refreshes over this many sessions: warm, and at the first touch of each by the process.
    func flatness(at size: Int, isLast: Bool) async throws {
        // Those that warm the process up are not those that are measured cold.
        let active = TokenBook(try take(oneIn: 16))
        let untouched = TokenBook(try take(oneIn: 2))
        try await touch(active)
        let warm = try await runs { try await measure(rotation(active)) }
        report.line("refresh, \(size) sessions, warm", warm)
        let cold = try await runs {
            stack.stop("token-issuer")
            try stack.start("token-issuer")
            _ = try await measure(seconds: 0.5, warmUp: .zero, rotation(active))
            return try await measure(seconds: 0, warmUp: .zero, onePass(untouched))
        }
        report.line("refresh, \(size) sessions, cold", cold)
        flat.append((size, warm.median.microseconds, cold.median.microseconds))
        guard isLast, let first = flat.first, let last = flat.last, flat.count > 1 else { return }
        for (name, ratio) in [("warm", last.warm / first.warm), ("cold", last.cold / first.cold)] {
            report.figure(
                "CPU per refresh, \(last.size) sessions over \(first.size), \(name)",
                Runs([ratio]),
                "times",
                bar: .under(1.1)
            )
        }
    }

    // MARK: Start

    func start() throws {
        var seconds: [Double] = []
        var megabytes: [Double] = []
        for _ in 0..<options.runs {
            stack.stop("token-issuer")
            seconds.append(try stack.start("token-issuer"))
            megabytes.append(Double(Machine.residentBytes(of: stack.issuerProcess)) / 1_048_576)
        }
        report.figure(
            "token-issuer start to ready, \(sessionCount) grants",
            Runs(seconds),
            "s",
            bar: .under(1)
        )
        report.figure(
            "token-issuer resident, idle",
            Runs(megabytes),
            "MB",
            digits: 0,
            bar: .under(64)
        )
    }
}
