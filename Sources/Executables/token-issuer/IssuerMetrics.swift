internal import Domain
internal import Issuing
internal import Runtime
internal import Signing

/// The numbers of an issuer that no other place counts (architecture.md section 13).
enum IssuerMetrics {
    static func publish(
        _ projects: any ProjectDirectory,
        _ root: RootReading,
        to metrics: Metrics
    ) {
        publish(projects, to: metrics)
        publish(root, to: metrics)
    }

    /// Whether this node knows a second root secret: where one shall be promoted, all must.
    private static func publish(_ root: RootReading, to metrics: Metrics) {
        for standing in RootSecrets.Standing.allCases {
            metrics.observe(
                "chancery_root_secret_second",
                "1 while a root secret of this standing is known beside the current one.",
                ["standing": standing.name]
            ) { root.standing == standing ? 1 : 0 }
        }
    }

    /// How long ago the oldest key of each standing was made, over all projects.
    private static func publish(_ projects: any ProjectDirectory, to metrics: Metrics) {
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
