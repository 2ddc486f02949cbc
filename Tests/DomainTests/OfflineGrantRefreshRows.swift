import Domain
import TestSupport

extension OfflineGrantRefreshTests {
    static let proving: [Row] = [
        Row("no session", when: refresh(1, at: 1), then: .failure(.unknown)),
        Row(
            "no such family",
            given: open,
            when: refresh(family: 2, 1, at: 1),
            then: .failure(.unknown)
        ),
        Row(
            "no family at all",
            given: Base.withoutRefresh,
            when: refresh(1, at: 1),
            then: .failure(.unknown)
        ),
        Row(
            "a generation that does not exist yet",
            given: rotated,
            when: refresh(3, at: 1001),
            then: .failure(.unknown)
        ),
        Row(
            "a generation that never existed",
            given: rotated,
            when: refresh(0, at: 1001),
            then: .failure(.unknown)
        ),
        Row(
            "the current generation with another secret",
            given: rotated,
            when: refresh(2, digest: 9, at: 1001),
            then: .failure(.unknown)
        ),
        Row(
            "an old generation with another secret ends nothing",
            given: rotated,
            when: refresh(1, digest: 9, at: 2000),
            then: .failure(.unknown)
        ),
        Row(
            "one generation's secret as another's ends nothing",
            given: rotated,
            when: refresh(1, digest: 2, at: 2000),
            then: .failure(.unknown)
        ),
        Row(
            "the oldest digest that is kept",
            given: old,
            when: refresh(45, at: 400),
            then: reuse(of: 45)
        ),
        Row(
            "an older one needs its event",
            given: old,
            when: refresh(44, at: 400),
            then: .failure(.proofNeeded(family: 1, generation: 44))
        ),
        Row(
            "proven by its event it is reuse",
            given: old,
            when: refresh(44, proven: true, at: 400),
            then: reuse(of: 44)
        ),
        Row(
            "a proof does not excuse a wrong secret that is kept",
            given: old,
            when: refresh(299, digest: 0, proven: true, at: 400),
            then: .failure(.unknown)
        ),
    ]

    static let allowing: [Row] = [
        Row(
            "another client, before its key",
            given: bound,
            when: refresh(1, client: Base.other, at: 1),
            then: .failure(.otherClient)
        ),
        Row(
            "another client's replay ends nothing",
            given: rotated,
            when: refresh(1, client: Base.other, at: 2000),
            then: .failure(.otherClient)
        ),
        Row(
            "a bound token without a proof",
            given: bound,
            when: refresh(1, at: 1),
            then: .failure(.otherKey)
        ),
        Row(
            "a bound token with another key, before the session's end",
            given: bound + [.revoked(.logout)],
            when: refresh(1, key: Sample.key(8), at: 1),
            then: .failure(.otherKey)
        ),
        Row(
            "a revoked session, before its expiry",
            given: revoked,
            when: refresh(2, at: 999 * day),
            then: .failure(.ended)
        ),
        Row(
            "reuse in a revoked session is not recorded again",
            given: revoked,
            when: refresh(1, at: 2000),
            then: .failure(.ended)
        ),
        Row(
            "thirty days unused",
            given: open,
            when: refresh(1, at: 30 * day),
            then: .failure(.expired)
        ),
        Row(
            "reuse after thirty days is only expired",
            given: rotated,
            when: refresh(1, at: 31 * day),
            then: .failure(.expired)
        ),
        Row(
            "the end of the session",
            given: [
                .opened(Base.opened(idleDays: 0)),
                .refreshTokenIssued(Base.issued(), at: Sample.time(0)),
            ],
            when: refresh(1, at: 180 * day),
            then: .failure(.expired)
        ),
        Row(
            "the end of the family, before the scope",
            given: [
                .opened(Base.opening),
                .refreshTokenIssued(Base.issued(until: 60), at: Sample.time(0)),
            ],
            when: refresh(1, scope: "profile", at: 60),
            then: .failure(.expired)
        ),
        Row(
            "a wider scope",
            given: open,
            when: refresh(1, scope: "openid profile", at: 1),
            then: .failure(.scope)
        ),
        Row(
            "a scope the client may not ask for any more",
            given: open,
            when: refresh(1, scope: "openid", allowed: Sample.scope("openid"), at: 1),
            then: .failure(.scope)
        ),
        Row(
            "a wrong scope with an old token ends nothing",
            given: rotated,
            when: refresh(1, scope: "profile", at: 2000),
            then: .failure(.scope)
        ),
    ]

    static let currentRows: [Row] = [
        Row(
            "is replaced",
            given: open,
            when: refresh(1, at: 1000),
            then: .success([Base.rotation(to: 2, at: 1000)])
        ),
        Row(
            "with its key",
            given: bound,
            when: refresh(1, key: key, at: 1000),
            then: .success([Base.rotation(to: 2, at: 1000)])
        ),
        Row(
            "a proof with an unbound token does no harm",
            given: open,
            when: refresh(1, key: key, at: 1000),
            then: .success([Base.rotation(to: 2, at: 1000)])
        ),
        Row(
            "a narrower scope is for this access token only",
            given: open,
            when: refresh(1, scope: "openid", at: 1000),
            then: .success([
                .refreshed(
                    Base.refreshed(
                        2,
                        secret: Sample.digest(2),
                        scope: Sample.scope("openid"),
                        at: 1000
                    )
                )
            ])
        ),
        Row(
            "without rotation it stays",
            given: open,
            when: refresh(1, rotates: false, at: 1000),
            then: .success([.refreshed(Base.refreshed(1, secret: nil, at: 1000))])
        ),
        Row(
            "and may be used again",
            given: open + [.refreshed(Base.refreshed(1, secret: nil, at: 1000))],
            when: refresh(1, rotates: false, at: 2000),
            then: .success([.refreshed(Base.refreshed(1, secret: nil, at: 2000))])
        ),
        Row(
            "no access token outlives the session",
            given: [
                .opened(Base.opened(lifeDays: 0.02)),
                .refreshTokenIssued(Base.issued(), at: Sample.time(0)),
            ],
            when: refresh(1, at: 1000),
            then: .success([
                .refreshed(
                    OfflineGrant.Refreshed(
                        family: 1,
                        client: Base.app,
                        generation: 2,
                        secret: Sample.digest(2),
                        token: Sample.token(99),
                        scope: Base.scope,
                        expiresAt: Sample.time(1728),
                        at: Sample.time(1000)
                    )
                )
            ])
        ),
    ]

    static let previousRows: [Row] = [
        Row(
            "inside the grace it gets the same successor",
            given: rotated,
            when: refresh(1, at: 1029.999),
            then: .success([retried(2, at: 1029.999)])
        ),
        Row(
            "as often as answers get lost",
            given: rotated + [retried(2, at: 1001)],
            when: refresh(1, at: 1002),
            then: .success([retried(2, at: 1002)])
        ),
        Row(
            "a retry does not lengthen the grace",
            given: rotated + [retried(2, at: 1020)],
            when: refresh(1, at: 1030),
            then: reuse(of: 1)
        ),
        Row(
            "also when rotation was turned off meanwhile",
            given: rotated,
            when: refresh(1, rotates: false, at: 1010),
            then: .success([retried(2, at: 1010)])
        ),
        Row(
            "a successor that cannot be made again is not handed out",
            given: rotated,
            when: refresh(1, successor: 9, at: 1010),
            then: .failure(.unknown)
        ),
    ]

    static let reusing: [Row] = [
        Row(
            "after the grace",
            given: rotated,
            when: refresh(1, at: 1030),
            then: reuse(of: 1)
        ),
        Row(
            "two generations back, however fresh",
            given: rotated + [Base.rotation(to: 3, at: 1001)],
            when: refresh(1, at: 1002),
            then: reuse(of: 1)
        ),
        Row(
            "one generation back in a chain is a retry",
            given: rotated + [Base.rotation(to: 3, at: 1001)],
            when: refresh(2, at: 1002),
            then: .success([retried(3, at: 1002)])
        ),
        Row(
            "inside the grace, but the successor was used without being replaced",
            given: rotated + [.refreshed(Base.refreshed(2, secret: nil, at: 1001))],
            when: refresh(1, at: 1002),
            then: reuse(of: 1)
        ),
    ]
}
