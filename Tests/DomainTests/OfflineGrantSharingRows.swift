import Domain
import TestSupport

extension OfflineGrantSharingTests {
    static let joinRows: [Row] = [
        Row(
            "with secret and id token of the first client",
            given: open,
            when: join(at: 10),
            then: .success(joined(guest, family: 2, at: 10))
        ),
        Row(
            "whose id token is of a client that joined, one step further away",
            given: shared,
            when: join(web, family: 3, invitedBy: guest, at: 20),
            then: .success(joined(web, family: 3, depth: 2, at: 20))
        ),
        Row(
            "again: its earlier part ends",
            given: shared,
            when: join(family: 3, at: 20),
            then: .success(
                [.clientLeft(guest, .replaced)] + joined(guest, family: 3, at: 20)
            )
        ),
        Row(
            "again by its own id token, no further away than before",
            given: shared,
            when: join(family: 3, invitedBy: guest, at: 20),
            then: .success(
                [.clientLeft(guest, .replaced)] + joined(guest, family: 3, at: 20)
            )
        ),
        Row(
            "not the first client: it would lose the key it is bound to",
            given: open,
            when: join(Base.app, at: 10),
            then: .failure(.stranger)
        ),
        Row(
            "not the first client, not even once it was put out",
            given: shared + [.clientLeft(Base.app, .reuse)],
            when: join(Base.app, family: 3, invitedBy: guest, at: 20),
            then: .failure(.stranger)
        ),
        Row(
            "not on a value that was never its secret",
            given: open,
            when: join(secret: 9, at: 10),
            then: .failure(.wrongSecret)
        ),
        Row(
            "on the previous value for a minute",
            given: rotated,
            when: join(secret: 1, at: 159),
            then: .success(joined(guest, family: 2, secret: 1, at: 159))
        ),
        Row(
            "not on the previous value after a minute",
            given: rotated,
            when: join(secret: 1, at: 160),
            then: .failure(.wrongSecret)
        ),
        Row(
            "not on the previous value once its successor came back",
            given: rotated + joined(web, family: 2, secret: 2, at: 110),
            when: join(family: 3, secret: 1, at: 111),
            then: .failure(.wrongSecret)
        ),
        Row(
            "not on a revoked secret",
            given: open + [.deviceSecretRevoked(generation: 1)],
            when: join(at: 10),
            then: .failure(.wrongSecret)
        ),
        Row(
            "not outside the group",
            given: open,
            when: join(isShared: false, at: 10),
            then: .failure(.stranger)
        ),
        Row(
            "not by an id token of a client that is not in the session",
            given: open,
            when: join(invitedBy: web, at: 10),
            then: .failure(.stranger)
        ),
        Row(
            "not by an id token of a client that has left",
            given: shared + [.clientLeft(guest, .tokenRevocation)],
            when: join(web, family: 3, invitedBy: guest, at: 20),
            then: .failure(.stranger)
        ),
        Row(
            "not with more scope than the first client's",
            given: open,
            when: join(scope: scope.union(Sample.scope("email")), at: 10),
            then: .failure(.scope)
        ),
        Row(
            "four steps away",
            given: chain(3),
            when: join(family: 5, invitedBy: Sample.client("c3"), at: 10),
            then: .success(joined(guest, family: 5, depth: 4, at: 10))
        ),
        Row(
            "not five steps away",
            given: chain(4),
            when: join(family: 6, invitedBy: Sample.client("c4"), at: 10),
            then: .failure(.tooMany)
        ),
        Row(
            "nor by way of a site that came back when those on the way to it had left",
            given: deserted + [opened(web, depth: 4, at: 20)],
            when: join(family: 6, invitedBy: web, at: 21),
            then: .failure(.tooMany)
        ),
        Row(
            "not as the seventeenth",
            given: full,
            when: join(family: 17, at: 20),
            then: .failure(.tooMany)
        ),
        Row(
            "but one of the sixteen again",
            given: full,
            when: join(Sample.client("c3"), family: 17, at: 20),
            then: .success(
                [.clientLeft(Sample.client("c3"), .replaced)]
                    + joined(Sample.client("c3"), family: 17, at: 20)
            )
        ),
        Row(
            "not when it has expired",
            given: open,
            when: join(at: 31 * OfflineGrantTests.day),
            then: .failure(.expired)
        ),
        Row(
            "not when it has ended",
            given: open + [.revoked(.logout)],
            when: join(at: 10),
            then: .failure(.ended)
        ),
        Row("not when it never was", when: join(at: 10), then: .failure(.unknown)),
    ]

    /// A URL for `client`.
    static func opened(_ client: ClientID, depth: UInt8 = 0, at: Double) -> OfflineGrant.Event {
        .urlIssued(url(client, depth: depth, at: at))
    }

    /// A site was opened at the far end of a chain, and left.
    private static let left: [OfflineGrant.Event] =
        chain(4) + [opened(web, depth: 4, at: 11), .clientLeft(web, .logout)]

    /// And the chain went, from its end.
    private static let deserted: [OfflineGrant.Event] =
        left
        + (1...4).reversed().map { number in
            OfflineGrant.Event.clientLeft(Sample.client("c\(number)"), .logout)
        }

    private static func url(_ client: ClientID, depth: UInt8 = 0, at: Double)
        -> OfflineGrant.URLIssued
    {
        OfflineGrant.URLIssued(
            client: client,
            depth: depth,
            url: Sample.stream(9),
            at: Sample.time(at)
        )
    }

    static let urlRows: [Row] = [
        Row(
            "by the id token of the last one, though the site was left since",
            given: open + [opened(web, at: 11), .clientLeft(web, .logout)],
            when: .share(.issueURL(url(web, at: 20), hint: web)),
            then: .success([opened(web, at: 20)])
        ),
        Row(
            "as far away then as whoever is furthest, who may have let it in",
            given: chain(4) + [opened(web, at: 11), .clientLeft(web, .logout)],
            when: .share(.issueURL(url(web, at: 20), hint: web)),
            then: .success([opened(web, depth: 4, at: 20)])
        ),
        Row(
            "or as whoever was, who may have left since",
            given: left + [.clientLeft(Sample.client("c4"), .logout)],
            when: .share(.issueURL(url(web, at: 20), hint: web)),
            then: .success([opened(web, depth: 4, at: 20)])
        ),
        Row(
            "also where all have left but the first client",
            given: deserted,
            when: .share(.issueURL(url(web, at: 20), hint: web)),
            then: .success([opened(web, depth: 4, at: 20)])
        ),
        Row(
            "no further away than the first client by whose id token it comes back",
            given: deserted,
            when: .share(.issueURL(url(web, at: 20), hint: Base.app)),
            then: .success([opened(web, at: 20)])
        ),
        Row(
            "none by that of the first client once it was put out",
            given: shared + [.clientLeft(Base.app, .reuse)],
            when: .share(.issueURL(url(web, at: 20), hint: Base.app)),
            then: .failure(.stranger)
        ),
        Row(
            "nor then by that of the site",
            given: shared + [opened(web, at: 11), .clientLeft(Base.app, .reuse)],
            when: .share(.issueURL(url(web, at: 20), hint: web)),
            then: .failure(.stranger)
        ),
        Row(
            "nor then by a guest's: the secret is the first client's",
            given: shared + [.clientLeft(Base.app, .reuse)],
            when: .share(.issueURL(url(web, at: 20), hint: guest)),
            then: .failure(.stranger)
        ),
    ]
}
