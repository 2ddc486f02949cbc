extension OfflineGrant {
    /// That the holder of a session let another app in (event 714).
    package struct App2AppApproval: Hashable, Sendable {
        /// The code that the other app redeems.
        package var code: StreamID
        package var target: ClientID
        /// By a key that was bound in the same request.
        package var insecure: Bool
        /// By a biometric key instead of the device key.
        package var biometric: Bool

        package init(code: StreamID, target: ClientID, insecure: Bool, biometric: Bool) {
            self.code = code
            self.target = target
            self.insecure = insecure
            self.biometric = biometric
        }
    }

    /// A refresh token shown, not used: the session goes on with it (wire.md section 5.4).
    package struct Presentation: Hashable, Sendable {
        package var family: UInt16
        package var generation: UInt32
        package var presented: TokenDigest
        package var dpopKey: Thumbprint?
        package var graceMilliseconds: Int64
        /// As in `Refresh`.
        package var proven: Bool
        package var at: Instant

        package init(
            family: UInt16,
            generation: UInt32,
            presented: TokenDigest,
            dpopKey: Thumbprint?,
            graceMilliseconds: Int64,
            proven: Bool = false,
            at: Instant
        ) {
            self.family = family
            self.generation = generation
            self.presented = presented
            self.dpopKey = dpopKey
            self.graceMilliseconds = graceMilliseconds
            self.proven = proven
            self.at = at
        }
    }

    /// `[]` for a token that a refresh would take now; reuse ends the session here, too.
    static func present(
        _ presented: Presentation,
        in session: Session,
        ended: Bool
    ) throws(Rejection) -> [Event] {
        guard let family = session.family(presented.family) else { throw .unknown }
        try prove(presented, of: family)
        // Key before state: who lacks it ends nothing.
        if let key = family.issue.dpopKey, key != presented.dpopKey { throw .otherKey }
        guard !ended else { throw .ended }
        guard session.isLive(at: presented.at), presented.at < family.issue.expiresAt else {
            throw .expired
        }
        guard presented.generation != family.generation, !isRetry(presented, of: family) else {
            return []
        }
        return reuse(of: presented.generation, in: family)
    }

    static func bind(
        _ key: DeviceKey,
        insecure: Bool,
        in session: Session
    ) throws(Rejection) -> [Event] {
        guard let bound = session.deviceKey else {
            return [.deviceKeyBound(key, insecure: insecure)]
        }
        guard bound == key else { throw .otherDeviceKey }
        return []
    }
}
