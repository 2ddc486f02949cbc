import Domain
import EventFormat
import OAuth
import TestSupport
import Testing

/// A change of these bytes or of what they mean is a new format number.
@Suite("Kept states") struct StateFormatTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var state: any Sendable
        var format: Int32
        var bytes: String
        var testDescription: String { name }
    }

    private static let id = "01900000-0000-7000-8000-0000000000"

    static let cases = [
        Case(
            name: "an app's session that was refreshed once and is revoked",
            state: OfflineGrant.State.revoked(Shared(session), .logout),
            format: 11,
            bytes: #"{"amr":["hwk","user"],"approval":"number","approved_codes":[{"code":""#
                + #"\#(id)a9"}],"auth_time_at":1795232845473,"#
                + #""clients":[{"admitted_us":0,"client":"client_a","depth":0,"since_us":0,"via":"#
                + #""opening"},{"admitted_us":1795232856473000,"client":"client_b","depth":1,"#
                + #""since_us":1795232855473000,"via":"native_sso"}],"device_key":{"jkt":""#
                + #"CgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgo","key":{"kty":"EC"}},"#
                + #""device_secret":{"digest":"BgYGBgYGBgYGBgYGBgYGBgYGBgYGBgYGBgYGBgYGBgY","#
                + #""generation":2,"issued_us":1795232855473000,"previous":""#
                + #"BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU","revoked":false,"used":true},"#
                + #""families":[{"approved":1,"digests":""#
                + #"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQECAgICAgICAgICAgICAgICAgICAgICAgI"#
                + #"CAgICAgICAg","generation":2,"issue":{"client":"client_a","expires_at":"#
                + #"1795233454473,"family":1,"rotates":true,"scope":["https://example.com/read","#
                + #""offline_access","openid"],"secret":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ"#
                + #"EBAQE"},"rotated_us":1795232855473000,"used":false}],"families_issued":2,"#
                + #""furthest":3,"last_used_us":1795232855473000,"linked":"\#(id)a7","#
                + #""opened_us":1795232854473000,"opening":{"amr":["hwk","user"],"#
                + #""approval":"number","auth_time_at":1795232845473,"#
                + #""browser_session":"\#(id)a2","client":"client_a","#
                + #""device":"AQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk","expires_at":1795233454473,"#
                + #""idle_ms":5000,"parent":{"id":"\#(id)a3","kind":"code"},"scope":["#
                + #""https://example.com/read","offline_access","openid"],"via":"code"},"revoked":"#
                + #""logout","revoked_tokens":[{"expires_us":1795233454473000,"jti":"\#(id)a4"}],"#
                + #""subject":"\#(id)a1","used":true}"#
        ),
        Case(
            name: "a browser's session",
            state: BrowserSession.State.ended(Shared(browser), .idle),
            format: 2,
            bytes: #"{"amr":["hwk","user"],"approval":"number","auth_time_at":1795232845473,"#
                + #""cookie":"AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM","ended":"idle","#
                + #""expires_us":1795233454473000,"idle_ms":5000,"joined":[{"client":"client_a","#
                + #""grant":"#
                + #""\#(id)a5"}],"opened_us":1795232854473000,"parent":{"id":"\#(id)a6","kind":"#
                + #""login_link"},"seen_us":1795232856473000,"subject":"\#(id)a1"}"#
        ),
        Case(
            name: "a user",
            state: Subject.State.disabled(Shared(profile)),
            format: 2,
            bytes: #"{"email":"AQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk","email_verified":true,"#
                + #""enabled_us":1795232857473000,"#
                + #""registered_us":1795232854473000,"status":"disabled","updated_us":"#
                + #"1795232855473000}"#
        ),
        Case(
            name: "a user that was erased",
            state: Subject.State.erased,
            format: 2,
            bytes: #"{"status":"erased"}"#
        ),
        Case(
            name: "a project's configuration",
            state: ProjectConfig.State.suspended(applied),
            format: 4,
            bytes:
                #"{"cascaded":[{"client":"client-c","since_us":1795232854473000}],"#
                + #""clients":[{"client":"A.b~c","since_us":1795232854473000},"#
                + #"{"client":"client-b","since_us":1795232854473000}],"#
                + #""digest":"BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ","#
                + #""document":"id: shop\n","project":"shop","suspended":true}"#
        ),
        Case(
            name: "a biometric key",
            state: BiometricKey.State.disabled(Shared(biometricKey)),
            format: 1,
            bytes: #"{"alg":"ES256","approval":"number","client":"client_a","device":"#
                + #""AQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk","disabled":true,"enabled_us":"#
                + #"1795232854473000,"failures":[{"at_us":1795232856473000}],"jkt":""#
                + #"CgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgo","key":{"kty":"EC"},"#
                + #""kid":"kid-0001","last_used_us":1795232855473000,"mail":"\#(id)a8","#
                + #""session":"\#(id)a5","subject":"\#(id)a1"}"#
        ),
        Case(
            name: "a biometric key's material",
            state: BiometricKey.State.claimed(kid: "kid-0001"),
            format: 1,
            bytes: #"{"claimed":"kid-0001"}"#
        ),
    ]

    @Test("are these bytes", arguments: cases) func golden(_ test: Case) throws {
        let stored = try #require(StateFormat.encode(test.state))
        #expect(String(decoding: stored.bytes, as: UTF8.self) == test.bytes)
        #expect(stored.format == test.format)
    }

    @Test("a stream that has not begun, and one that stays short, are not kept")
    func absent() {
        #expect(StateFormat.encode(OfflineGrant.State.absent) == nil)
        #expect(StateFormat.encode(Consent.State.absent) == nil)
        #expect(StateFormat.number(for: Consent.self) == nil)
        #expect(StateFormat.number(for: SigningKeyRing.self) == nil)
    }

    @Test("a state with all the digests it may keep, and the largest document, are given back")
    func largest() throws {
        var session = Self.session
        let digests = (0..<OfflineGrant.digestsKeptMax * 2).map {
            Sample.digest(UInt8(truncatingIfNeeded: $0))
        }
        session.families[0].digests = RecentDigests(digests)
        session.families[0].generation = 10_000
        session.approvedCodes = (0..<UInt64(OfflineGrant.approvedCodesMax)).map(Sample.stream)
        let open = OfflineGrant.State.open(Shared(session))
        let kept = try #require(StateFormat.encode(open))
        #expect(StateFormat.decode(kept.bytes, as: OfflineGrant.self) == open)
        session.approvedCodes = nil
        let more = OfflineGrant.State.open(Shared(session))
        let other = try #require(StateFormat.encode(more))
        #expect(StateFormat.decode(other.bytes, as: OfflineGrant.self) == more)
        var applied = Self.applied
        applied.document = [UInt8](repeating: UInt8(ascii: "\""), count: 256 * 1024)
        let config = ProjectConfig.State.applied(applied)
        let document = try #require(StateFormat.encode(config))
        #expect(StateFormat.decode(document.bytes, as: ProjectConfig.self) == config)
    }

    @Test("a state that the bytes would not give back is not written")
    func unfaithful() {
        var opening = Self.session.opening
        #expect(StateFormat.encode(Self.state(of: opening)) != nil)
        // No event says such a time: members hold whole milliseconds.
        opening.expiresAt = Instant(microseconds: 1_795_233_454_473_001)
        #expect(StateFormat.encode(Self.state(of: opening)) == nil)
    }

    private static func state(of opening: OfflineGrant.Opening) -> OfflineGrant.State {
        .open(Shared(OfflineGrant.Session(opening: opening)))
    }

    private static let opened = Sample.time(0)
    private static let later = Sample.time(600)
    private static let login = Authentication(
        methods: [.hwk, .user],
        at: Sample.time(-9),
        approval: .number
    )

    private static var session: OfflineGrant.Session {
        let issue = OfflineGrant.RefreshTokenIssue(
            client: StoredSamples.client,
            family: 1,
            scope: StoredSamples.scope,
            secret: Sample.digest(1),
            rotates: true,
            expiresAt: later
        )
        var family = OfflineGrant.Family(issue: issue, at: Sample.time(1))
        family.approvedGeneration = 1
        family.generation = 2
        family.digests.append(Sample.digest(2))
        var session = OfflineGrant.Session(
            opening: OfflineGrant.Opening(
                subject: Sample.subject(0xA1),
                client: StoredSamples.client,
                scope: StoredSamples.scope,
                authentication: login,
                via: .code,
                parent: Parent(kind: .code, stream: Sample.stream(0xA3)),
                browserSession: Sample.session(0xA2),
                openedAt: opened,
                expiresAt: later,
                idleMilliseconds: 5000,
                device: Sample.sealed(9)
            )
        )
        session.lastUsedAt = Sample.time(1)
        session.isUsed = true
        session.families = [family]
        session.deviceKey = DeviceKey(
            thumbprint: Sample.key(10),
            jwk: Array(#"{"kty":"EC"}"#.utf8)
        )
        session.familiesIssued = 2
        var guest = OfflineGrant.KnownClient(
            client: Sample.client("client_b"),
            via: .nativeSSO,
            depth: 1,
            since: Sample.time(1)
        )
        guest.admittedAt = Sample.time(2)
        session.clients.append(guest)
        session.furthest = 3
        session.deviceSecret = OfflineGrant.DeviceSecret(
            OfflineGrant.DeviceSecretIssued(
                generation: 2,
                secret: Sample.digest(6),
                at: Sample.time(1)
            ),
            after: Sample.digest(5)
        )
        session.deviceSecret?.isUsed = true
        session.linkedDevice = Sample.session(0xA7)
        session.approvedCodes = [Sample.stream(0xA9)]
        session.revokedTokens = [
            OfflineGrant.RevokedToken(token: Sample.token(0xA4), expiresAt: later)
        ]
        return session
    }

    private static var browser: BrowserSession.Session {
        var session = BrowserSession.Session(
            subject: Sample.subject(0xA1),
            authentication: login,
            cookie: Sample.digest(3),
            parent: Parent(kind: .loginLink, stream: Sample.stream(0xA6)),
            openedAt: opened,
            expiresAt: later,
            idleMilliseconds: 5000
        )
        session.lastSeenAt = Sample.time(2)
        session.joined = [
            BrowserSession.Joined(client: StoredSamples.client, grant: Sample.session(0xA5))
        ]
        return session
    }

    private static let profile: Subject.Profile = {
        var profile = Subject.Profile(
            email: Sample.sealed(9),
            emailVerified: true,
            registeredAt: opened,
            updatedAt: opened,
            enabledAt: Sample.time(3)
        )
        profile.updatedAt = Sample.time(1)
        return profile
    }()

    private static let biometricKey = {
        var key = BiometricKey.Registration(
            subject: Sample.subject(0xA1),
            client: StoredSamples.client,
            kid: "kid-0001",
            key: DeviceKey(thumbprint: Sample.key(10), jwk: Array(#"{"kty":"EC"}"#.utf8)),
            algorithm: "ES256",
            device: Sample.sealed(9),
            mail: Sample.stream(0xA8),
            approval: .number,
            enabledAt: opened
        )
        key.lastUsedAt = Sample.time(1)
        key.session = Sample.session(0xA5)
        key.failures = [Sample.time(2)]
        return key
    }()

    private static let applied = {
        var applied = ProjectConfig.Applied(
            id: Sample.project("shop"),
            digest: Sample.digest(4),
            document: Array("id: shop\n".utf8)
        )
        applied.clientsSince = [
            Sample.client("A.b~c"): opened, Sample.client("client-b"): opened,
        ]
        applied.cascadedAt = [Sample.client("client-c"): opened]
        return applied
    }()
}
