import Foundation
import Runtime

/// What a synchronous standby costs those who refresh.
extension Bench {
    /// The rate with one over the rate without, on the same sessions.
    func standbys() async throws {
        let tokens = TokenBook(try take(oneIn: 16))
        try await touch(tokens)
        let alone = try await runs { try await measure(rotation(tokens)) }
        report.line("refresh, no standby", alone)
        let standby = try stack.startStandby()
        let both = try await runs { try await measure(rotation(tokens)) }
        report.line("refresh, synchronous standby", both)
        try stack.stopStandby(standby)
        report.figure(
            "refresh rate with a synchronous standby over without",
            Runs(both.all.map { $0.rate / alone.median.rate }),
            "times",
            bar: .atLeast(0.6)
        )
    }
}
