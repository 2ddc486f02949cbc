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

/// What became of mails that were due, on this node.
struct MailCounts: Sendable {
    private let sent: Counter
    private let unwanted: Counter
    private let putOff: Counter
    private let givenUp: Counter

    init(_ metrics: Metrics) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "chancery_mail_total",
                "Mails that were due, by what became of them.",
                ["outcome": outcome]
            )
        }
        sent = counter("sent")
        unwanted = counter("unwanted")
        putOff = counter("put_off")
        givenUp = counter("given_up")
    }

    func count(_ delivery: MailDispatch.Delivery) {
        switch delivery {
        case .sent: sent.add()
        case .unwanted: unwanted.add()
        case .putOff: putOff.add()
        case .givenUp: givenUp.add()
        }
    }
}
