import Domain
import TestSupport
import Testing

@Suite("AuthorizationCode") struct AuthorizationCodeTests {
    static let ticket = issued()
    static let grant = Sample.session(20)
    static let redemption = AuthorizationCode.Redemption(
        grant: grant,
        family: 3,
        at: Sample.time(5)
    )
    static let open = [AuthorizationCode.Event.issued(ticket)]
    static let redeemed = open + [.redeemed(redemption)]
    static let replay = AuthorizationCode.Event.replayed(afterMilliseconds: 20_000, revoked: true)
    static let replayed = redeemed + [replay]

    static func issued(
        uriGiven: Bool = true,
        challenge: Bool = true,
        key: Thumbprint? = nil
    ) -> AuthorizationCode.Ticket {
        AuthorizationCode.Ticket(
            client: Sample.client("app"),
            redirectURI: Sample.redirectURI("com.example.app:/cb"),
            redirectURIGiven: uriGiven,
            scope: Sample.scope("openid"),
            secret: Sample.digest(1),
            codeChallenge: challenge ? CodeChallenge(digest: Sample.digest(2)) : nil,
            dpopKey: key,
            subject: Sample.subject(3),
            authentication: Authentication(methods: [.otp], at: Sample.time(-1)),
            parent: Parent(kind: .authorization, stream: Sample.stream(4)),
            browserSession: Sample.session(5),
            expiresAt: Sample.time(60)
        )
    }

    /// Everything right; each row makes one thing wrong.
    static func present(
        secret: UInt8 = 1,
        client: String = "app",
        uri: String? = "com.example.app:/cb",
        verifier: UInt8? = 2,
        key: Thumbprint? = nil,
        at: Double = 5
    ) -> AuthorizationCode.Presentation {
        AuthorizationCode.Presentation(
            secret: Sample.digest(secret),
            client: Sample.client(client),
            redirectURI: uri.map(Sample.redirectURI),
            verifier: verifier.map(Sample.digest),
            dpopKey: key,
            at: Sample.time(at)
        )
    }

    static func redeem(_ presented: AuthorizationCode.Presentation) -> AuthorizationCode.Command {
        .redeem(presented, grant: grant, family: 3)
    }

    @Test("is redeemed", arguments: redeeming)
    func redeems(_ row: Scenario<AuthorizationCode>) { row.check() }

    @Test("is replayed", arguments: replaying)
    func replays(_ row: Scenario<AuthorizationCode>) { row.check() }

    @Test("only possible events follow") func follows() {
        var pairs = Successions<AuthorizationCode>([
            "issued": .issued(Self.ticket), "redeemed": .redeemed(Self.redemption),
            "replayed": Self.replay,
        ])
        pairs.after("absent", [], may: ["issued"])
        pairs.after("issued", Self.open, may: ["redeemed"])
        pairs.after("redeemed", Self.redeemed, may: ["replayed"])
        pairs.after("replayed", Self.replayed, may: [])
        pairs.check()
    }

    @Test("other aggregates' events are not its own") func unwraps() {
        #expect(AuthorizationCode.unwrap(AuthorizationCode.wrap(Self.replay)) == Self.replay)
        #expect(AuthorizationCode.unwrap(.subject(.enabled(at: Instant(microseconds: 0)))) == nil)
    }
}

extension AuthorizationCodeTests {
    static let redeeming: [Scenario<AuthorizationCode>] = [
        Scenario("a code is issued", when: .issue(ticket), then: .success(open)),
        Scenario(
            "a code is issued once",
            given: open,
            when: .issue(ticket),
            then: .failure(.alreadyIssued)
        ),
        Scenario(
            "everything right redeems it",
            given: open,
            when: redeem(present()),
            then: .success([.redeemed(redemption)])
        ),
        Scenario("no code is redeemed", when: redeem(present()), then: .failure(.unknown)),
        Scenario(
            "a known id with another secret is unknown, whatever else is wrong",
            given: open,
            when: redeem(present(secret: 9, client: "b", uri: nil, verifier: nil, at: 99)),
            then: .failure(.unknown)
        ),
        Scenario(
            "another client's code, before its redirect URI",
            given: open,
            when: redeem(present(client: "b", uri: nil, verifier: nil, at: 99)),
            then: .failure(.otherClient)
        ),
        Scenario(
            "another redirect URI, before the verifier",
            given: open,
            when: redeem(present(uri: "com.example.app:/other", verifier: nil, at: 99)),
            then: .failure(.otherRedirectURI)
        ),
        Scenario(
            "the redirect URI must be repeated when it was given",
            given: open,
            when: redeem(present(uri: nil)),
            then: .failure(.otherRedirectURI)
        ),
        Scenario(
            "it need not be when it was not",
            given: [.issued(issued(uriGiven: false))],
            when: redeem(present(uri: nil)),
            then: .success([.redeemed(redemption)])
        ),
        Scenario(
            "it must not be when it was not",
            given: [.issued(issued(uriGiven: false))],
            when: redeem(present()),
            then: .failure(.otherRedirectURI)
        ),
        Scenario(
            "a wrong verifier, before expiry",
            given: open,
            when: redeem(present(verifier: 9, at: 99)),
            then: .failure(.wrongVerifier)
        ),
        Scenario(
            "no verifier for a challenge",
            given: open,
            when: redeem(present(verifier: nil)),
            then: .failure(.wrongVerifier)
        ),
        Scenario(
            "a verifier without a challenge",
            given: [.issued(issued(challenge: false))],
            when: redeem(present()),
            then: .failure(.wrongVerifier)
        ),
        Scenario(
            "neither verifier nor challenge",
            given: [.issued(issued(challenge: false))],
            when: redeem(present(verifier: nil)),
            then: .success([.redeemed(redemption)])
        ),
        Scenario(
            "a used code, before expiry",
            given: redeemed,
            when: redeem(present(at: 99)),
            then: .failure(.redeemed(redemption))
        ),
        Scenario(
            "a replayed code",
            given: replayed,
            when: redeem(present(at: 99)),
            then: .failure(.redeemed(redemption))
        ),
        Scenario(
            "a used code with a wrong verifier is only that",
            given: redeemed,
            when: redeem(present(verifier: 9)),
            then: .failure(.wrongVerifier)
        ),
        Scenario(
            "a code lives a minute, before its key",
            given: [.issued(issued(key: Sample.key(8)))],
            when: redeem(present(at: 60)),
            then: .failure(.expired)
        ),
        Scenario(
            "a bound code needs a proof",
            given: [.issued(issued(key: Sample.key(8)))],
            when: redeem(present()),
            then: .failure(.otherKey)
        ),
        Scenario(
            "by the same key",
            given: [.issued(issued(key: Sample.key(8)))],
            when: redeem(present(key: Sample.key(9))),
            then: .failure(.otherKey)
        ),
        Scenario(
            "then it is redeemed",
            given: [.issued(issued(key: Sample.key(8)))],
            when: redeem(present(key: Sample.key(8))),
            then: .success([.redeemed(redemption)])
        ),
        Scenario(
            "an unbound code takes a proof, too",
            given: open,
            when: redeem(present(key: Sample.key(9))),
            then: .success([.redeemed(redemption)])
        ),
    ]

    static let replaying: [Scenario<AuthorizationCode>] = [
        Scenario(
            "ten seconds after its redemption a replay is a retry",
            given: redeemed,
            when: .recordReplay(present(at: 15), used: false),
            then: .success([])
        ),
        Scenario(
            "later it is a replay",
            given: redeemed,
            when: .recordReplay(present(at: 15.001), used: false),
            then: .success([.replayed(afterMilliseconds: 10_001, revoked: true)])
        ),
        Scenario(
            "once a token of it was used, at once",
            given: redeemed,
            when: .recordReplay(present(at: 6), used: true),
            then: .success([.replayed(afterMilliseconds: 1000, revoked: true)])
        ),
        Scenario(
            "it is written once",
            given: replayed,
            when: .recordReplay(present(at: 99), used: true),
            then: .success([])
        ),
        Scenario(
            "a code not yet redeemed was not replayed",
            given: open,
            when: .recordReplay(present(), used: true),
            then: .success([])
        ),
        Scenario(
            "a thief without the verifier ends nothing",
            given: redeemed,
            when: .recordReplay(present(verifier: nil, at: 99), used: true),
            then: .failure(.wrongVerifier)
        ),
        Scenario(
            "a thief without the secret ends nothing",
            given: redeemed,
            when: .recordReplay(present(secret: 9, at: 99), used: true),
            then: .failure(.unknown)
        ),
        Scenario(
            "a thief without the code's key ends nothing",
            given: [.issued(issued(key: Sample.key(8))), .redeemed(redemption)],
            when: .recordReplay(present(at: 99), used: true),
            then: .success([])
        ),
        Scenario(
            "nor does one with a key of his own",
            given: [.issued(issued(key: Sample.key(8))), .redeemed(redemption)],
            when: .recordReplay(present(key: Sample.key(9), at: 99), used: true),
            then: .success([])
        ),
        Scenario(
            "with the code's key it is a replay",
            given: [.issued(issued(key: Sample.key(8))), .redeemed(redemption)],
            when: .recordReplay(present(key: Sample.key(8), at: 99), used: true),
            then: .success([.replayed(afterMilliseconds: 94_000, revoked: true)])
        ),
        Scenario(
            "another client ends nothing",
            given: redeemed,
            when: .recordReplay(present(client: "b", at: 99), used: true),
            then: .failure(.otherClient)
        ),
        Scenario(
            "no code was replayed",
            when: .recordReplay(present(), used: true),
            then: .failure(.unknown)
        ),
    ]
}
