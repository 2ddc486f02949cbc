import Domain
import TestSupport
import Testing

/// Device secrets, and clients that share a session (WireContract 5.1, 5.6 and 9.7).
@Suite("A shared session") struct OfflineGrantSharingTests {
    typealias Row = Scenario<OfflineGrant>
    typealias Base = OfflineGrantTests

    static let scope = Sample.scope("openid offline_access device_sso")
    static let guest = Sample.client("guest")
    static let web = Sample.client("web")
    static let session = Parent(kind: .session, stream: Sample.stream(7))
    static let first = secret(1, at: 0)
    static let second = secret(2, at: 100)

    static var opening: OfflineGrant.Opening {
        var opening = Base.opened()
        opening.scope = scope
        return opening
    }

    static let open: [OfflineGrant.Event] = [
        .opened(opening), .refreshTokenIssued(Base.issued(scope: scope), at: Sample.time(0)),
        .deviceSecretIssued(first),
    ]
    static let shared = open + joined(guest, family: 2, at: 10)
    static let rotated = open + [.deviceSecretIssued(second)]

    static func digest(_ generation: UInt32) -> TokenDigest {
        Sample.digest(UInt8(100 + generation))
    }

    static func secret(
        _ generation: UInt32,
        key: Thumbprint? = nil,
        at: Double
    ) -> OfflineGrant.DeviceSecretIssued {
        OfflineGrant.DeviceSecretIssued(
            generation: generation,
            secret: digest(generation),
            dpopKey: key,
            at: Sample.time(at)
        )
    }

    static func issue(_ client: ClientID, family: UInt16) -> OfflineGrant.RefreshTokenIssue {
        var issue = Base.issued(client: client, scope: scope)
        issue.family = family
        return issue
    }

    static func token(_ client: ClientID) -> OfflineGrant.AccessTokenIssue {
        var token = Base.token(40, client: client, scope: scope, until: 900)
        token.via = .nativeSSO
        return token
    }

    static func joined(
        _ client: ClientID,
        family: UInt16,
        depth: UInt8 = 1,
        secret: UInt32? = 1,
        at: Double
    ) -> [OfflineGrant.Event] {
        [
            .clientJoined(
                OfflineGrant.ClientJoined(
                    client: client,
                    scope: scope,
                    via: .nativeSSO,
                    depth: depth,
                    parent: session,
                    deviceSecret: secret,
                    at: Sample.time(at)
                )
            ),
            .refreshTokenIssued(issue(client, family: family), at: Sample.time(at)),
            .accessTokenIssued(token(client)),
        ]
    }

    static func join(
        _ client: ClientID = guest,
        family: UInt16 = 2,
        invitedBy host: ClientID = Base.app,
        secret: UInt32 = 1,
        isShared: Bool = true,
        scope asked: Scope = scope,
        at: Double
    ) -> OfflineGrant.Command {
        .share(
            .join(
                OfflineGrant.Join(
                    client: client,
                    invitation: .nativeSSO(
                        secret: digest(secret),
                        invitedBy: host,
                        isShared: isShared
                    ),
                    parent: session,
                    scope: asked,
                    at: Sample.time(at)
                ),
                refreshToken: issue(client, family: family),
                accessToken: token(client)
            )
        )
    }

    /// Clients c1, c2 … each invited by the one before.
    static func chain(_ count: Int) -> [OfflineGrant.Event] {
        open
            + (1...count).flatMap { number in
                joined(
                    Sample.client("c\(number)"),
                    family: UInt16(number + 1),
                    depth: UInt8(number),
                    at: Double(number)
                )
            }
    }

    /// Fifteen guests of the first client.
    static let full =
        open
        + (1...15).flatMap { number in
            joined(Sample.client("c\(number)"), family: UInt16(number + 1), at: Double(number))
        }

    @Test("lets a client in", arguments: joinRows) func joins(_ row: Row) { row.check() }

    @Test("hands out device secrets", arguments: secretRows)
    func issues(_ row: Row) { row.check() }

    static let secretRows: [Row] = [
        Row(
            "the successor keeps the first one's key",
            given: Array(open.dropLast()) + [
                .deviceSecretIssued(secret(1, key: Sample.key(5), at: 0))
            ],
            when: .share(.issueDeviceSecret(digest(2), key: Sample.key(6), at: Sample.time(100))),
            then: .success([.deviceSecretIssued(secret(2, key: Sample.key(5), at: 100))])
        ),
        Row(
            "none without device_sso",
            given: Base.open,
            when: .share(.issueDeviceSecret(digest(1), key: nil, at: Sample.time(1))),
            then: .failure(.scope)
        ),
        Row(
            "none after the end",
            given: open + [.revoked(.logout)],
            when: .share(.issueDeviceSecret(digest(2), key: nil, at: Sample.time(1))),
            then: .failure(.ended)
        ),
        Row(
            "revoking one ends all who came by it, and not the first client",
            given: shared + [opened(web, at: 11)],
            when: .share(.revokeDeviceSecret(digest(1), at: Sample.time(20))),
            then: .success([
                .deviceSecretRevoked(generation: 1), .clientLeft(guest, .tokenRevocation),
                .clientLeft(web, .tokenRevocation),
            ])
        ),
        Row(
            "so does it the first client's where an earlier version let it in by the secret",
            given: shared + [.clientLeft(Base.app, .reuse)]
                + joined(Base.app, family: 3, depth: 2, at: 12),
            when: .share(.revokeDeviceSecret(digest(1), at: Sample.time(20))),
            then: .success([
                .deviceSecretRevoked(generation: 1), .clientLeft(guest, .tokenRevocation),
                .clientLeft(Base.app, .tokenRevocation),
            ])
        ),
        Row(
            "a value that was never issued ends nothing",
            given: shared,
            when: .share(.revokeDeviceSecret(digest(7), at: Sample.time(20))),
            then: .failure(.wrongSecret)
        ),
    ]

    @Test("makes URLs", arguments: urlRows) func opens(_ row: Row) { row.check() }

    @Test("ends one client's part", arguments: leaveRows) func leaves(_ row: Row) { row.check() }

    static let leaveRows: [Row] = [
        Row(
            "a guest leaves alone",
            given: shared,
            when: .share(.leave(guest, .tokenRevocation)),
            then: .success([.clientLeft(guest, .tokenRevocation)])
        ),
        Row(
            "who is not there needs no end",
            given: open,
            when: .share(.leave(guest, .operator)),
            then: .success([])
        ),
        Row(
            "its refresh tokens are then unknown, and no alarm",
            given: shared + [.clientLeft(guest, .replaced)],
            when: .present(
                OfflineGrant.Presentation(
                    family: 2,
                    generation: 1,
                    presented: Sample.digest(1),
                    dpopKey: nil,
                    graceMilliseconds: 0,
                    at: Sample.time(20)
                )
            ),
            then: .failure(.unknown)
        ),
    ]

    @Test("a guest that revokes more tokens than can be remembered ends its own part alone")
    func guestRevokes() throws {
        func revocation(_ number: Int) -> OfflineGrant.Event {
            .accessTokenRevoked(
                Sample.token(UInt64(100 + number)),
                client: Self.guest,
                expiresAt: Sample.time(900)
            )
        }
        let history = Self.shared + (0..<OfflineGrant.revokedTokensMax).map(revocation)
        let state = try #require(OfflineGrant.fold(history, from: .absent))
        let events = try OfflineGrant.decide(
            .revokeAccessToken(Sample.token(7), by: Self.guest, expiresAt: Sample.time(900)),
            in: state
        )
        #expect(events == [.clientLeft(Self.guest, .tokenRevocation)])
        let after = try #require(OfflineGrant.fold(history + events, from: .absent))
        guard let session = after.openSession else { return #expect(Bool(false)) }
        #expect(session.known(Self.guest) == nil && session.known(Base.app) != nil)
    }

    @Test("a client's tokens of an earlier stay are dead") func earlierStay() throws {
        let history =
            Self.shared + [.clientLeft(Self.guest, .replaced)]
            + Self.joined(Self.guest, family: 3, at: 20)
        let state = try #require(OfflineGrant.fold(history, from: .absent))
        guard let session = state.openSession else { return #expect(Bool(false)) }
        func token(_ seconds: Double) -> TokenID {
            let milliseconds = UInt64(Sample.time(seconds).milliseconds)
            return TokenID(StreamID(high: milliseconds << 16 | 0x7000, low: 1))
        }
        #expect(!session.accepts(token(15), of: Self.guest))
        #expect(session.accepts(token(20), of: Self.guest))
        #expect(session.accepts(token(15), of: Base.app))
        #expect(!session.accepts(token(25), of: Self.web))
    }
}
