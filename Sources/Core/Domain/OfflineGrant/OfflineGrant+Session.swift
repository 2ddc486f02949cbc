extension OfflineGrant {
    /// The fold of an open session.
    ///
    /// Each refresh makes a new one of the one before, and caches and commands hold both: so what
    /// a refresh leaves as it is stands behind one reference, shared by all states that have it.
    package struct Session: Hashable, Sendable {
        /// The reference to `opening`.
        package let sharedOpening: Shared<Opening>
        fileprivate var lasting: Shared<Lasting>
        /// The opening, the last refresh, or when a client came in; idle time counts from here.
        package var lastUsedAt: Instant
        /// Whether a token of it has come back, as far as its stream tells (decision 0146).
        package var isUsed: Bool
        package var families: [Family]

        package init(opening: Opening) {
            sharedOpening = Shared(opening)
            lasting = Shared(Lasting(opening))
            lastUsedAt = opening.openedAt
            isUsed = false
            families = []
        }

        private mutating func change(_ body: (inout Lasting) -> Void) {
            var changed = lasting.value
            body(&changed)
            lasting = Shared(changed)
        }
    }

    /// What of a session no refresh changes.
    fileprivate struct Lasting: Hashable, Sendable {
        var authentication: Authentication
        var deviceKey: DeviceKey?
        var revokedTokens: [RevokedToken] = []
        var clients: [KnownClient]
        var familiesIssued: UInt16 = 0
        var furthest: UInt8 = 0
        var deviceSecret: DeviceSecret?
        var linkedDevice: SessionID?
        var approvedCodes: [StreamID]? = []

        init(_ opening: Opening) {
            authentication = opening.authentication
            let first = KnownClient(
                client: opening.client,
                via: .opening,
                depth: 0,
                // A token may be born on a node whose clock is behind this event's.
                since: Instant(microseconds: 0)
            )
            clients = [first]
        }
    }
}

// Where a request passes by, `shared….value` is read instead: of values of this size an accessor
// makes a copy, and one that yields asks malloc for a frame.
extension OfflineGrant.Session {
    /// What it was opened with, which never changes.
    package var opening: OfflineGrant.Opening { sharedOpening.value }

    /// Newest first login or reauthentication.
    package var authentication: Authentication {
        get { lasting.value.authentication }
        set { change { $0.authentication = newValue } }
    }

    /// Set once, never replaced (Security I3).
    package var deviceKey: DeviceKey? {
        get { lasting.value.deviceKey }
        set { change { $0.deviceKey = newValue } }
    }

    /// Access tokens revoked alone and not yet expired, at most `revokedTokensMax`.
    package var revokedTokens: [OfflineGrant.RevokedToken] {
        get { lasting.value.revokedTokens }
        set { change { $0.revokedTokens = newValue } }
    }

    /// Whose tokens count, at most `clientsMax`; the one that opened it is the first.
    package var clients: [OfflineGrant.KnownClient] {
        get { lasting.value.clients }
        set { change { $0.clients = newValue } }
    }

    /// Families that ever were.
    package var familiesIssued: UInt16 {
        get { lasting.value.familiesIssued }
        set { change { $0.familiesIssued = newValue } }
    }

    /// The greatest depth that a client of it ever had, also of those who have left; it never falls
    /// (decision 0253).
    package var furthest: UInt8 {
        get { lasting.value.furthest }
        set { change { $0.furthest = newValue } }
    }

    package var deviceSecret: OfflineGrant.DeviceSecret? {
        get { lasting.value.deviceSecret }
        set { change { $0.deviceSecret = newValue } }
    }

    /// A session on the same device, by its device secret.
    package var linkedDevice: SessionID? {
        get { lasting.value.linkedDevice }
        set { change { $0.linkedDevice = newValue } }
    }

    /// The codes that let other apps in, in their order; nil: more than `approvedCodesMax`.
    package var approvedCodes: [StreamID]? {
        get { lasting.value.approvedCodes }
        set { change { $0.approvedCodes = newValue } }
    }
}

// From another module a method of the value, or what it computes, would be asked of a copy.
extension Shared<OfflineGrant.Session> {
    /// As the session's, without a copy.
    package var sharedOpening: Shared<OfflineGrant.Opening> { value.sharedOpening }

    /// As the session's.
    package var opening: OfflineGrant.Opening { value.sharedOpening.value }

    /// As the session's.
    package var authentication: Authentication { value.lasting.value.authentication }

    /// As the session's.
    package func family(_ number: UInt16) -> OfflineGrant.Family? { value.family(number) }
}

extension OfflineGrant.State {
    /// Whether it was opened and has not ended; it may have expired.
    package var isOpen: Bool { if case .open = self { true } else { false } }

    /// The session while it is open.
    package var openSession: OfflineGrant.Session? {
        guard case .open(let shared) = self else { return nil }
        return shared.value
    }

    /// The session, also of one that has ended; nil when there never was one.
    package var session: OfflineGrant.Session? { sharedSession?.value }

    /// As `session`, without a copy of it.
    package var sharedSession: Shared<OfflineGrant.Session>? {
        switch self {
        case .absent: nil
        case .open(let shared), .revoked(let shared, _): shared
        }
    }
}
