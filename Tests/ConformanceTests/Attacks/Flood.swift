import EventFormat
import Foundation
import TestSupport
import Testing

/// Requests past a limit that a node keeps in its memory (Security 9, kind M).
struct Flood: Sendable, CustomTestStringConvertible {
    /// Who must not suffer for it, and what it gets.
    struct Other: Sendable {
        let sentence: String
        let request: WireRequest
        var outcome = "200"
        var isElsewhere = false
    }

    let testDescription: String
    /// In `rate_limits.per_minute`.
    let limit: String
    /// In development a hundred times as many are let in, but of link posts.
    var perMinute = 1
    var letIn = 100
    /// How many come at once.
    var callers = 10
    /// Whether the requests go to the admin listener.
    var isAdmin = false
    /// What the requests need of a project: tokens, or a link.
    var prepare: @Sendable (TestProject) async throws -> [String] = { _ in [] }
    let request: @Sendable (Int, [String]) -> WireRequest
    /// What the requests hear before the limit, and from then on.
    let outcomes: Set<String>
    /// What so many that are let in leave in the log.
    var events: @Sendable (Int) -> [StoredType: Int] = { _ in [:] }
    let others: @Sendable ([String]) -> [Other]
}

extension Flood {
    static let rows = [
        failures, refreshes, ownChallenges, challenges, pages, client, strangers, links, operators,
        account,
    ]

    private static let attacker = "192.0.2.66"
    private static let neighbour = "192.0.2.67"

    /// As many as there are requests.
    private static func somebody(_ number: Int) -> String { "198.51.100.\(number)" }

    private static func refresh(_ token: String?) -> WireRequest {
        .token(GrantForm.refresh(token)).from(neighbour)
    }

    /// Refresh tokens of two sessions of one person.
    @Sendable private static func sessions(of project: TestProject) async throws -> [String] {
        var person = Person(at: project.site)
        var tokens: [String] = []
        for _ in 0..<2 {
            let session = try await person.session()
            tokens.append(try #require(session.member("refresh_token")))
        }
        return tokens
    }

    private static let failures = Flood(
        testDescription: "L1: what fails, by one address",
        limit: "failed_request",
        prepare: sessions,
        request: { number, _ in
            let ways: [WireRequest] = [
                .token(GrantForm.refresh("no")), .bearing("no"), .revoke("no"),
                WireRequest("POST", "/oauth2/introspect", [], "token=no"),
            ]
            return ways[number % ways.count].from(attacker)
        },
        outcomes: [
            "400 invalid_grant", "401 invalid_token", "200", "401 invalid_client",
            "429 x_rate_limited",
        ],
        others: { [Other(sentence: "another address", request: refresh($0[0]))] }
    )

    private static let refreshes = Flood(
        testDescription: "L2: refreshes of one grant, from many addresses",
        limit: "refresh",
        // One stream takes one append after the other.
        callers: 3,
        prepare: sessions,
        request: { .token(GrantForm.refresh($1[0])).from(somebody($0)) },
        outcomes: ["200", "429 x_rate_limited"],
        // The same token again, for who lost the answer.
        events: { [.offlineGrantRefreshed: 1, .offlineGrantRetried: $0 - 1] },
        others: { tokens in
            [
                Other(sentence: "another session of the user", request: refresh(tokens[1])),
                Other(
                    sentence: "the session elsewhere: it has not ended",
                    request: refresh(tokens[0]),
                    isElsewhere: true
                ),
            ]
        }
    )

    private static let challenge = WireRequest(
        "POST",
        "/oauth2/challenge",
        [("Content-Type", "application/json")],
        #"{"purpose":"app2app_request"}"#
    )

    private static let ownChallenges = Flood(
        testDescription: "L3: challenges, by one address",
        limit: "challenge",
        request: { _, _ in challenge.from(attacker) },
        outcomes: ["200", "429 RateLimited"],
        others: { _ in
            [Other(sentence: "another address", request: challenge.from(neighbour))]
        }
    )

    private static let challenges = Flood(
        testDescription: "L3: challenges of one node, from many addresses",
        limit: "challenge_per_node",
        prepare: sessions,
        request: { number, _ in challenge.from(somebody(number)) },
        outcomes: ["200", "429 RateLimited"],
        others: { tokens in
            [
                Other(sentence: "a refresh there", request: refresh(tokens[0])),
                Other(sentence: "a challenge elsewhere", request: challenge, isElsewhere: true),
            ]
        }
    )
}

/// Of pages, links and operators.
extension Flood {
    private static let page = WireRequest("GET", "/login?tx=\(UUID().uuidString.lowercased())")
    private static let linkPath = "/flows/verify_login_link"

    private static let pages = Flood(
        testDescription: "L4: pages, by one network of IPv6",
        limit: "page",
        request: { number, _ in
            let ways: [WireRequest] = [
                page, WireRequest("GET", "/oauth2/authorize?client_id=nobody"),
                WireRequest("POST", "/oauth2/par", [], "client_id=app&scope=openid"),
                WireRequest("GET", "/clients/app\(linkPath)?token=no"),
            ]
            return ways[number % ways.count].from("2001:db8:0:1::\(number)")
        },
        outcomes: ["404", "400", "400 invalid_request", "302", "429", "429 x_rate_limited"],
        others: { _ in
            [
                Other(
                    sentence: "the same network",
                    request: page.from("2001:db8:0:1:ffff::1"),
                    outcome: "429"
                ),
                Other(
                    sentence: "the network beside it",
                    request: page.from("2001:db8:0:2::1"),
                    outcome: "404"
                ),
                Other(sentence: "an address", request: page.from(neighbour), outcome: "404"),
            ]
        }
    )

    private static let client = Flood(
        testDescription: "L4: pages for one client, from many addresses",
        limit: "page_per_client",
        prepare: sessions,
        request: { number, _ in
            let ways: [WireRequest] = [
                WireRequest("GET", "/oauth2/authorize?client_id=app"),
                WireRequest("POST", "/oauth2/par", [], "client_id=app&scope=openid"),
            ]
            return ways[number % ways.count].from(somebody(number))
        },
        outcomes: ["303", "400 invalid_request", "429", "429 x_rate_limited"],
        others: { tokens in
            [
                Other(
                    sentence: "another client",
                    request: WireRequest("GET", "/oauth2/authorize?client_id=invest")
                        .from(attacker),
                    outcome: "303"
                ),
                Other(sentence: "who has logged in by it", request: refresh(tokens[0])),
            ]
        }
    )

    private static let strangers = Flood(
        testDescription: "L4: requests that name a client and are none of its, from many addresses",
        limit: "page_per_client",
        request: { number, _ in
            let query = "client_id=app&redirect_uri=com.evil:/"
            let ways: [WireRequest] = [
                WireRequest("GET", "/oauth2/authorize?\(query)"),
                WireRequest("POST", "/oauth2/par", [], query),
            ]
            return ways[number % ways.count].from(somebody(number))
        },
        outcomes: ["400", "400 invalid_request"],
        others: { _ in
            [
                Other(
                    sentence: "a request of its own",
                    request: WireRequest("GET", "/oauth2/authorize?client_id=app").from(attacker),
                    outcome: "303"
                )
            ]
        }
    )

    private static let links = Flood(
        testDescription: "L7: link posts that fail, by one address",
        limit: "failed_link",
        perMinute: 5,
        letIn: 5,
        prepare: { project in
            let site = project.site
            let email = "linked-\(UUID().uuidString.prefix(12).lowercased())@example.com"
            _ = try await LoginPage(at: site.nodes[0], host: site.authority, email: email)
            let link = try await MailBox(page: site.mailPage).newestLink(to: email)
            return [site.origin, String(link.dropFirst(site.origin.count))]
        },
        request: { number, stake in
            let form = "client=app&token=ll_no&action=approve"
            let ways: [WireRequest] = [
                WireRequest("POST", "/clients/app\(linkPath)?token=ll_no"),
                WireRequest("POST", linkPath, [("Origin", stake[0])], form),
            ]
            return ways[number % ways.count].from(attacker)
        },
        outcomes: ["403 InvalidLoginLink", "400", "429 RateLimited", "429"],
        others: { stake in
            let approval = WireRequest("POST", stake[1])
            return [
                Other(
                    sentence: "a link that is good, by who guesses",
                    request: approval.from(attacker),
                    outcome: "429 RateLimited"
                ),
                Other(sentence: "the same, by its reader", request: approval.from(neighbour)),
            ]
        }
    )

    private static let operators = Flood(
        testDescription: "L10: admin requests of one operator",
        limit: "admin",
        isAdmin: true,
        prepare: { [$0.stack.facts["ADMIN_TOKEN"] ?? "", "/admin/v1/keys?project=\($0.id)"] },
        request: { _, stake in .bearing(stake[0], "GET", stake[1]) },
        outcomes: ["200", "429 RateLimited"],
        others: { stake in
            [
                Other(
                    sentence: "another operator",
                    request: .bearing(ProxiedIssuer.secondToken, "GET", stake[1])
                ),
                Other(sentence: "a probe", request: WireRequest("GET", "/livez")),
            ]
        }
    )

    private static let account = Flood(
        testDescription: "L11: a user's own things, of one session, from many addresses",
        limit: "account",
        prepare: { project in
            var person = Person(at: project.site)
            var tokens: [String] = []
            for _ in 0..<2 {
                let session = try await person.session(scope: Person.everything)
                tokens.append(try #require(session.member("access_token")))
            }
            return tokens
        },
        request: { .bearing($1[0], "GET", "/api/v1/sessions").from(somebody($0)) },
        outcomes: ["200", "429 RateLimited"],
        others: { tokens in
            [
                Other(
                    sentence: "another session of the user",
                    request: .bearing(tokens[1], "GET", "/api/v1/sessions")
                ),
                Other(
                    sentence: "the session elsewhere",
                    request: .bearing(tokens[0], "GET", "/api/v1/sessions"),
                    isElsewhere: true
                ),
            ]
        }
    )
}
