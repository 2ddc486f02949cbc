internal import Domain
internal import Issuing
internal import Runtime

/// Counts what committed events say of apps' sessions (Architecture 13).
///
/// A refresh costs a look at its event and no counter.
struct SessionCounts: Sendable {
    private let opened: [OfflineGrant.Via: Counter]
    private let revoked: [RevocationReason: Counter]
    private let reuse: Counter
    private let insecureBindings: Counter

    init(_ metrics: Metrics) {
        func counters<Label: CaseIterable & RawRepresentable<String> & Hashable>(
            _ name: String,
            _ help: String,
            by label: String,
            _ values: Label.Type
        ) -> [Label: Counter] {
            Dictionary(
                uniqueKeysWithValues: values.allCases.map {
                    ($0, metrics.counter(name, help, [label: $0.rawValue]))
                }
            )
        }
        opened = counters(
            "chancery_grants_opened_total",
            "Sessions of apps opened.",
            by: "via",
            OfflineGrant.Via.self
        )
        revoked = counters(
            "chancery_grants_revoked_total",
            "Sessions of apps ended before their time.",
            by: "reason",
            RevocationReason.self
        )
        reuse = metrics.counter(
            "chancery_refresh_reuse_total",
            "Refresh tokens presented that had been used up: each ended its session."
        )
        insecureBindings = metrics.counter(
            "chancery_insecure_key_bindings_total",
            "Device keys bound on nobody's word but their own, as the client allows."
        )
    }

    /// Counts what is committed.
    func count(_ commit: Commit) {
        // By places: a loop over the elements counts references to all that is in each.
        let streams = commit.streams.span
        for place in streams.indices where streams[place].kind == .offlineGrant {
            for event in streams[place].events {
                if case .offlineGrant(let event) = event { count(event) }
            }
        }
    }

    private func count(_ event: OfflineGrant.Event) {
        switch event {
        case .opened(let opening): opened[opening.via]?.add()
        case .revoked(let reason): revoked[reason]?.add()
        case .reuseDetected: reuse.add()
        case .deviceKeyBound(_, insecure: true): insecureBindings.add()
        case .deviceKeyBound(_, insecure: false), .refreshTokenIssued, .accessTokenIssued,
            .refreshed, .retried, .accessTokenRevoked, .reauthenticated, .app2appApproved,
            .deviceSecretIssued, .deviceSecretUsed, .deviceSecretRevoked, .deviceLinked,
            .clientJoined, .clientLeft, .urlIssued:
            break
        }
    }
}
