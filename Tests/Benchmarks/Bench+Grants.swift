import Foundation

/// The lines about grants, each held against a rotating refresh of the same run.
extension Bench {
    func grants() async throws {
        let users = Array(try take(oneIn: 32))
        try await provenRefreshes(of: users)
        try await clientCredentials()
        try await app2app(of: users)
        try await biometricLogins(of: users)
        try await nativeSSO(of: users)
        try await preAuthenticatedURLs(of: users)
        try await idTokens(of: users)
        try await pushedRequests()
    }

    /// One line of them.
    ///
    /// It may cost `bar` times a refresh that makes as many signatures; `verifications` of what the
    /// request presents are counted apart.
    func grant(
        _ name: String,
        signatures: Int,
        verifications: Int,
        bar: Double = 1.5,
        answering member: String,
        status: Int = 200,
        _ script: () async throws -> LoadGenerator.Script
    ) async throws {
        let runs = try await runs {
            let script = try await script()
            return try await measure(
                accepts: { $0.status == status && Wire.member(member, of: $0.body) != nil },
                script
            )
        } floors: {
            $0.floors = try await refreshCost(signatures: max(1, signatures))
            if verifications > 0 {
                $0.apart = Double(verifications) * (try await self.signatures().verify)
            }
        }
        let median = runs.median
        let note = String(
            format: "%.1f µs without %d verified, batch %.1f",
            median.microseconds - median.apart,
            verifications,
            median.batch
        )
        report.line(name, runs, bar: bar, note: note)
    }

    /// Microseconds of a rotating refresh that makes so many signatures, now.
    private func refreshCost(signatures: Int) async throws -> Double {
        guard let tokens = rotated[signatures] else {
            throw Subprocess.Failed(description: "no refresh was measured")
        }
        return try await measure(seconds: 1, warmUp: .milliseconds(500), rotation(tokens))
            .microseconds
    }
}
