import Domain
import TestSupport

extension OfflineGrantTests {
    static let deviceKey = DeviceKey(thumbprint: Sample.key(50), jwk: [1])
    static let otherDeviceKey = DeviceKey(thumbprint: Sample.key(51), jwk: [2])
    static let bound = open + [.deviceKeyBound(deviceKey, insecure: false)]
    static let approval = OfflineGrant.App2AppApproval(
        code: Sample.stream(60),
        target: other,
        insecure: false,
        biometric: false
    )

    static let bindsRows: [Scenario<OfflineGrant>] = [
        Scenario(
            "a session without key gets its key",
            given: open,
            when: .bindDeviceKey(deviceKey, insecure: false),
            then: .success([.deviceKeyBound(deviceKey, insecure: false)])
        ),
        Scenario(
            "that it was bound without a login is recorded",
            given: open,
            when: .bindDeviceKey(deviceKey, insecure: true),
            then: .success([.deviceKeyBound(deviceKey, insecure: true)])
        ),
        Scenario(
            "the same key again is nothing new",
            given: bound,
            when: .bindDeviceKey(deviceKey, insecure: true),
            then: .success([])
        ),
        Scenario(
            "another key never replaces it",
            given: bound,
            when: .bindDeviceKey(otherDeviceKey, insecure: false),
            then: .failure(.otherDeviceKey)
        ),
        Scenario(
            "a revoked session binds none",
            given: revoked,
            when: .bindDeviceKey(deviceKey, insecure: false),
            then: .failure(.ended)
        ),
        Scenario(
            "no session binds none",
            when: .bindDeviceKey(deviceKey, insecure: false),
            then: .failure(.unknown)
        ),
    ]

    static let approvesRows: [Scenario<OfflineGrant>] = [
        Scenario(
            "an open session approves",
            given: bound,
            when: .approveApp2App(approval),
            then: .success([.app2appApproved(approval)])
        ),
        Scenario(
            "a revoked one does not",
            given: revoked,
            when: .approveApp2App(approval),
            then: .failure(.ended)
        ),
        Scenario(
            "none does not",
            when: .approveApp2App(approval),
            then: .failure(.unknown)
        ),
    ]

    static func presented(
        _ generation: UInt32,
        family: UInt16 = 1,
        secret: UInt8? = nil,
        key: Thumbprint? = nil,
        at: Double
    ) -> OfflineGrant.Command {
        .present(
            OfflineGrant.Presentation(
                family: family,
                generation: generation,
                presented: Sample.digest(secret ?? UInt8(truncatingIfNeeded: generation)),
                dpopKey: key,
                graceMilliseconds: 30_000,
                at: Sample.time(at)
            )
        )
    }

    static let presentsRows: [Scenario<OfflineGrant>] = [
        Scenario(
            "the current one is good, and stays",
            given: rotated,
            when: presented(2, at: 1001),
            then: .success([])
        ),
        Scenario(
            "the one before is good inside the grace",
            given: rotated,
            when: presented(1, at: 1029),
            then: .success([])
        ),
        Scenario(
            "after it, it is reuse and ends the session",
            given: rotated,
            when: presented(1, at: 1031),
            then: .success([
                .reuseDetected(family: 1, client: app, presentedGeneration: 1),
                .revoked(.reuse),
            ])
        ),
        Scenario(
            "a secret that was never issued changes nothing",
            given: rotated,
            when: presented(1, secret: 9, at: 1031),
            then: .failure(.unknown)
        ),
        Scenario(
            "a family that never was",
            given: rotated,
            when: presented(2, family: 2, at: 1001),
            then: .failure(.unknown)
        ),
        Scenario(
            "without the key it is bound to, reuse ends nothing",
            given: [
                .opened(opening),
                .refreshTokenIssued(issued(key: Sample.key(7)), at: Sample.time(0)),
            ]
                + [rotation(to: 2, at: 1000)],
            when: presented(1, key: Sample.key(8), at: 1031),
            then: .failure(.otherKey)
        ),
        Scenario(
            "of an expired session",
            given: open,
            when: presented(1, at: 30 * day),
            then: .failure(.expired)
        ),
        Scenario(
            "of a revoked session",
            given: revoked,
            when: presented(2, at: 1001),
            then: .failure(.ended)
        ),
        Scenario("of no session", when: presented(1, at: 1), then: .failure(.unknown)),
    ]
}
