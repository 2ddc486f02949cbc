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
        let runs = try await measured(answering: member, status: status, script)
        let apart = Double(verifications) * verification
        let own = runs.median.microseconds - apart
        guard let refresh = refreshCosts[max(1, signatures)], let least = refreshCosts[1] else {
            throw Subprocess.Failed(description: "no refresh was measured")
        }
        var note = String(
            format: "%.1f µs without %d verified, batch %.1f",
            own,
            verifications,
            runs.median.batch
        )
        if signatures > 1 {
            note += String(format: "; %.2f times a refresh with one signature", own / least)
        }
        report.line(name, runs, floors: refresh, apart: apart, bar: bar, note: note)
    }

    /// Runs of scripts that are made anew each time; a good answer has this status and member.
    func measured(
        answering member: String,
        status: Int = 200,
        _ script: () async throws -> LoadGenerator.Script
    ) async throws -> Runs<Measurement> {
        var runs: [Measurement] = []
        for _ in 0..<options.runs {
            runs.append(
                try await measure(
                    accepts: { $0.status == status && Wire.member(member, of: $0.body) != nil },
                    try await script()
                )
            )
        }
        return Runs(runs, by: \.microseconds)
    }
}
