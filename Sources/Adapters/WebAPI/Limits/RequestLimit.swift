/// The rate limits kept in a node's memory (security.md section 9, kind M).
package enum RequestLimit: String, Hashable, Sendable, CaseIterable {
    /// L1: failed token, revoke, introspect, userinfo requests per IP.
    case failedRequest = "failed_request"
    /// L2: refreshes per session.
    case refresh
    /// L3: challenges per IP.
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

    /// So many a minute on the long run, and so many at once; 0 a minute is no limit.
    package struct Rate: Hashable, Sendable {
        package var perMinute: Int
        package var burst: Int

        package init(perMinute: Int, burst: Int? = nil) {
            self.perMinute = perMinute
            self.burst = burst ?? perMinute
        }
    }

    /// Its place among all cases: of a case with a text, the hash is that of the text.
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
        }
    }

    package var standard: Rate {
        switch self {
        case .failedRequest: Rate(perMinute: 60)
        case .refresh: Rate(perMinute: 60, burst: 10)
        case .challenge: Rate(perMinute: 60)
        case .challengePerNode: Rate(perMinute: 120_000, burst: 2_000)
        case .page: Rate(perMinute: 120)
        case .pagePerClient: Rate(perMinute: 6_000)
        case .failedLink: Rate(perMinute: 20)
        case .failedClientAuthentication: Rate(perMinute: 20)
        case .admin: Rate(perMinute: 60)
        }
    }

    /// Whether development multiplies it (security.md section 10).
    package var isWiderInDevelopment: Bool { self != .failedLink }
}
