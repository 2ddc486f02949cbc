internal import Domain
internal import Issuing
internal import Runtime

/// The numbers of an issuer that no other place counts (architecture.md section 13).
enum IssuerMetrics {
    /// How long ago the oldest key of each standing was made, over all projects.
    static func publish(_ projects: any ProjectDirectory, to metrics: Metrics) {
        let states: [(name: String, status: SigningKeyRing.Status)] = [
            ("staged", .staged), ("current", .current), ("previous", .previous),
        ]
        for (name, status) in states {
            metrics.observe(
                "chancery_signing_key_age_seconds",
                "Age of the oldest signing key of a standing.",
                ["state": name]
            ) {
                let keys = projects.all.flatMap { $0.keys.keys.filter { $0.status == status } }
                let now = Instant(microseconds: WallTime.nowMicroseconds())
                // No sample where there is no key: 0 would be the best age there is.
                return keys.map(\.stagedAt).min().map { Double(now.millisecondsSince($0)) / 1000 }
            }
        }
    }
}
