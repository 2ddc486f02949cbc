/// What can be measured, by the name it is asked for with.
enum Line: String, CaseIterable {
    case refresh, redeem, challenge, grants, introspect, userinfo, discovery, flat, standby
    case catchup, events, revocations, rebuild, takeover, start

    var purpose: String {
        switch self {
        case .refresh: "rotating refresh, with one signature and with two"
        case .redeem: "code redemption"
        case .challenge: "a challenge for a phone to sign"
        case .grants: "every other grant and PAR, against a refresh; verifications apart"
        case .introspect: "introspection of a JWT, new and known to the node"
        case .userinfo: "userinfo with an e-mail address, by a new and by a known token"
        case .discovery: "discovery and JWKS"
        case .flat: "refresh over 10^3 to 10^6 sessions, warm and at each session's first touch"
        case .standby: "refresh with a synchronous standby against refresh without"
        case .catchup: "the relay's and the projector's way through a log they have not seen"
        case .events: "commit to a consumer of Kafka while refreshes run"
        case .revocations: "revocation committed to the projector's feed while refreshes run"
        case .rebuild: "chancery replay: a read model made anew from the log"
        case .takeover: "kill -9 of the active relay to the first event of the standby"
        case .start: "token-issuer start to ready over 10^6 grants, and resident memory then"
        }
    }

    /// Whether it needs Kafka and the processes behind it.
    var isBehindKafka: Bool {
        switch self {
        case .catchup, .events, .revocations, .rebuild, .takeover: true
        case .refresh, .redeem, .challenge, .grants, .introspect, .userinfo, .discovery, .flat,
            .standby, .start:
            false
        }
    }

    /// Roughly, for who waits; `runs` of `seconds` each.
    func secondsExpected(runs: Double, seconds: Double, sessions: Double) -> Double {
        let warm = runs * (seconds + 1.5) + 3
        // Beside each run, its floors.
        let held = warm + runs * 2
        return switch self {
        case .refresh: 2 * (held + runs * 2) + 5
        case .redeem: held + runs * (seconds + 2)
        case .challenge: held
        case .grants: 2 * held + 8 * (held + runs * seconds) + 10
        case .introspect, .userinfo: 2 * held + 6
        case .discovery: 2 * held
        case .flat: 4 * (warm + runs * 5) + sessions / 10_000
        case .standby: 2 * warm + sessions / 50_000 + 10
        case .catchup: runs * 15 + 20
        case .events: runs * (seconds + 3) + 45
        case .revocations: runs * (2 * seconds + 3) + 45
        case .rebuild: runs * (min(sessions, 100_000) / 15_000 + 2) + 30
        case .takeover: runs * 5 + 15
        case .start: sessions / 10_000 + runs
        }
    }
}
