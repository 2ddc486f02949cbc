/// The rate limits kept in a node's memory (Security 9, kind M).
package enum RequestLimit: String, Hashable, Sendable, CaseIterable {
    /// L1: failed token, revoke, introspect, userinfo requests per IP.
    case failedRequest = "failed_request"
    /// L2: refreshes per family, token exchanges per session, logins per biometric key (decisions
    /// 0155 and 0251).
    case refresh
    /// L3: challenges per IP, an IPv6 /48 as four.
    case challenge
    /// L3: challenges of this node.
    case challengePerNode = "challenge_per_node"
    /// L4: authorize, PAR and page requests per IP.
    case page
    /// L4: the same per client.
    case pagePerClient = "page_per_client"
    /// L7: failed link posts per IP.
    case failedLink = "failed_link"
    /// L9: failed client authentication per client and IP.
    case failedClientAuthentication = "failed_client_authentication"
    /// L10: admin requests per operator.
    case admin
    /// L11: requests for a user's own things per session.
    case account

    /// So many a minute on the long run, and so many at once; 0 a minute is no limit.
    package struct Rate: Hashable, Sendable {
        package var perMinute: Int
        package var burst: Int

        package init(perMinute: Int, burst: Int? = nil) {
            self.perMinute = perMinute
            self.burst = burst ?? perMinute
        }
    }

    /// Its place among all cases; hashing a case itself would hash its text.
    var ordinal: Int {
        switch self {
        case .failedRequest: 0
        case .refresh: 1
        case .challenge: 2
        case .challengePerNode: 3
        case .page: 4
        case .pagePerClient: 5
        case .failedLink: 6
        case .failedClientAuthentication: 7
        case .admin: 8
        case .account: 9
        }
    }

    package var standard: Rate {
        switch self {
        case .failedRequest, .refresh, .challenge, .admin, .account: rate(perMinute: 60)
        case .challengePerNode: rate(perMinute: 120_000)
        case .page: rate(perMinute: 120)
        case .pagePerClient: rate(perMinute: 6_000)
        case .failedLink, .failedClientAuthentication: rate(perMinute: 20)
        }
    }

    /// So many a minute, and of them at once what suits this limit.
    package func rate(perMinute: Int) -> Rate {
        switch self {
        case .refresh: Rate(perMinute: perMinute, burst: min(perMinute, 10))
        // What a node can do is a matter of seconds.
        case .challengePerNode: Rate(perMinute: perMinute, burst: max(1, perMinute / 60))
        case .failedRequest, .challenge, .page, .pagePerClient, .failedLink,
            .failedClientAuthentication, .admin, .account:
            Rate(perMinute: perMinute)
        }
    }

    /// The rates that an operator's numbers a minute make, by the name of the limit.
    package static func rates(perMinute numbers: [String: Int]) -> [Self: Rate] {
        allCases.reduce(into: [:]) { rates, limit in
            if let number = numbers[limit.rawValue] { rates[limit] = limit.rate(perMinute: number) }
        }
    }

    /// Whether development multiplies it (Security 10).
    package var isWiderInDevelopment: Bool { self != .failedLink }
}
