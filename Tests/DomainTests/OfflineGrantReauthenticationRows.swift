import Domain
import TestSupport

extension OfflineGrantTests {
    static let again = Authentication(methods: [.otp], at: Sample.time(500))

    static func reauthenticate(
        by client: ClientID = app,
        subject: SubjectID = opening.subject,
        token issue: OfflineGrant.AccessTokenIssue = token(31, until: 1400),
        at: Double = 500
    ) -> OfflineGrant.Command {
        .reauthenticate(
            again,
            by: client,
            subject: subject,
            accessToken: issue,
            at: Sample.time(at)
        )
    }

    static let reauthenticatesRows: [Scenario<OfflineGrant>] = [
        Scenario(
            "its subject logs in again: new time, new access token",
            given: open,
            when: reauthenticate(),
            then: .success([
                .reauthenticated(again, at: Sample.time(500)),
                .accessTokenIssued(token(31, until: 1400)),
            ])
        ),
        Scenario(
            "through the client that opened it and has left since: no",
            given: open + [.clientLeft(app, .reuse)],
            when: reauthenticate(),
            then: .failure(.otherClient)
        ),
        Scenario(
            "through another client: no",
            given: open,
            when: reauthenticate(by: other),
            then: .failure(.otherClient)
        ),
        Scenario(
            "another subject: no",
            given: open,
            when: reauthenticate(subject: Sample.subject(9)),
            then: .failure(.otherSubject)
        ),
        Scenario(
            "an expired session: no",
            given: open,
            when: reauthenticate(at: 30 * day),
            then: .failure(.expired)
        ),
        Scenario(
            "a login is use: the idle life begins again",
            given: open + [.reauthenticated(again, at: Sample.time(29 * day))],
            when: reauthenticate(at: 31 * day),
            then: .success([
                .reauthenticated(again, at: Sample.time(31 * day)),
                .accessTokenIssued(token(31, until: 1400)),
            ])
        ),
        Scenario(
            "a wider scope: no",
            given: open,
            when: reauthenticate(
                token: token(31, scope: Sample.scope("profile"), until: 1400)
            ),
            then: .failure(.scope)
        ),
        Scenario(
            "another client's token: no",
            given: open,
            when: reauthenticate(token: token(31, client: other, until: 1400)),
            then: .failure(.otherClient)
        ),
        Scenario(
            "a revoked session: no",
            given: revoked,
            when: reauthenticate(),
            then: .failure(.ended)
        ),
        Scenario("no session: no", when: reauthenticate(), then: .failure(.unknown)),
    ]

    static func revocation(_ number: UInt64, until: Double) -> OfflineGrant.Event {
        .accessTokenRevoked(Sample.token(number), client: app, expiresAt: Sample.time(until))
    }

    static func revokeToken(
        _ number: UInt64,
        by client: ClientID = app,
        until: Double
    ) -> OfflineGrant.Command {
        .revokeAccessToken(Sample.token(number), by: client, expiresAt: Sample.time(until))
    }

    /// As many as are kept, all of the same hour.
    static let full = open + (0..<64).map { revocation(100 + $0, until: 3000) }

    /// At nine tenths of each token's quarter of an hour, the old one revoked alone.
    static func refreshing(times: UInt32) -> [OfflineGrant.Event] {
        (1...times).reduce(into: open) { history, number in
            let at = Double(number) * 810
            history.append(rotation(to: number + 1, at: at))
            guard number < times else { return }
            history.append(revocation(UInt64(100 + number), until: at + 90))
        }
    }

    static let revokesTokensRows: [Scenario<OfflineGrant>] = [
        Scenario(
            "one token dies, the session lives",
            given: open,
            when: revokeToken(30, until: 900),
            then: .success([revocation(30, until: 900)])
        ),
        Scenario(
            "it dies once",
            given: open + [revocation(30, until: 900)],
            when: revokeToken(30, until: 900),
            then: .success([])
        ),
        Scenario(
            "another client's token is not its",
            given: open,
            when: revokeToken(30, by: other, until: 900),
            then: .failure(.otherClient)
        ),
        Scenario(
            "with its session it is dead already",
            given: revoked,
            when: revokeToken(30, until: 900),
            then: .success([])
        ),
        Scenario(
            "no session, no token",
            when: revokeToken(30, until: 900),
            then: .failure(.unknown)
        ),
        Scenario(
            "one more than can be remembered ends the session",
            given: full,
            when: revokeToken(30, until: 6_899),
            then: .success([revocation(30, until: 6_899), .revoked(.tokenRevocation)])
        ),
        Scenario(
            "five minutes after the others expired, there is room again",
            given: full,
            when: revokeToken(30, until: 6_900),
            then: .success([revocation(30, until: 6_900)])
        ),
        Scenario(
            "also when a refresh shows that time has passed",
            given: full + [rotation(to: 2, at: 3_300)],
            when: revokeToken(30, until: 4_200),
            then: .success([revocation(30, until: 4_200)])
        ),
        Scenario(
            "a client may revoke each token that it refreshes away from, for ever",
            given: refreshing(times: 100),
            when: revokeToken(200, until: 81_090),
            then: .success([revocation(200, until: 81_090)])
        ),
    ]
}
