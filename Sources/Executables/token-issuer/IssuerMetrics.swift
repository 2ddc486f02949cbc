internal import Domain
internal import Issuing
internal import Runtime
internal import Signing

/// The numbers of an issuer that no other place counts (Architecture 13).
enum IssuerMetrics {
    static func publish(
        _ projects: any ProjectDirectory,
        _ root: RootReading,
        to metrics: Metrics
    ) {
        publish(projects, to: metrics)
        publish(root, to: metrics)
        publish(root.directory.encryption, to: metrics)
    }

    /// Which key encryption keys this node has: before one replaces another all must have both.
    private static func publish(_ encryption: KeyEncryptionKey, to metrics: Metrics) {
        let name = "chancery_key_encryption_key_id"
        let help = "Tells the key encryption key of a standing from others."
        metrics.observe(name, help, ["standing": "current"]) { Double(encryption.version) }
        guard let second = encryption.second else { return }
        metrics.observe(name, help, ["standing": second.standing.rawValue]) {
            Double(second.version)
        }
    }

    /// Which root secrets this node uses: a next one may be promoted when all have the same.
    private static func publish(_ root: RootReading, to metrics: Metrics) {
        let name = "chancery_root_secret_id"
        let help = "The id of the root secret of a standing, as chancery root-secret show has it."
        metrics.observe(name, help, ["standing": "current"]) { Double(root.outline.id) }
        for standing in KeyStanding.allCases {
            metrics.observe(name, help, ["standing": standing.rawValue]) {
                let second = root.outline.second
                return second?.standing == standing ? second.map { Double($0.id) } : nil
            }
        }
        metrics.observe(
            "chancery_root_secret_unread",
            "1: the root secret's file cannot be used, and the one read before it is."
        ) { root.isRead ? 0 : 1 }
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
