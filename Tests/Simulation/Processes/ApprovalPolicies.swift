import Domain

/// Which logins the clients of a run take that another client asked for (decision 0240).
///
/// In three of ten seeds each of these has a policy of its own; in the others all take any login.
struct ApprovalPolicies: Sendable {
    /// Those that are let in by others' logins, the one that a browser logs in at, and those that
    /// hold sessions, whose own logins nothing asks again.
    ///
    /// In the order in which they are drawn: a new one comes last.
    private static let clients = [
        "guest", "sibling", "site", "annex", Regular.own, Regular.partner, "bank", "shop",
    ]

    private var policies: [String: ApprovalPolicy] = [:]

    init(in world: World) {
        // Drawn apart, so that the other seeds are what they were.
        var dice = Dice(seed: world.seed, purpose: 22)
        guard dice.strikes(300) else { return }
        let all = ApprovalPolicy.allCases
        for client in Self.clients { policies[client] = all[dice.draw(all.count)] }
    }

    /// Whether logins are approved in one way and another.
    var areDrawn: Bool { !policies.isEmpty }

    func policy(of client: String) -> ApprovalPolicy { policies[client] ?? .automatic }

    /// The others keep what their settings say.
    func apply(to settings: inout ProjectSettings) {
        for index in settings.clients.indices {
            guard let policy = policies[settings.clients[index].id.text] else { continue }
            settings.clients[index].loginLinkMode = policy.mode
        }
    }
}
