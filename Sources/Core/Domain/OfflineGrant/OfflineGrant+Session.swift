extension OfflineGrant {
    /// The fold of an open session.
    package struct Session: Hashable, Sendable {
        fileprivate let sharedOpening: Shared<Opening>
        /// Newest first login or reauthentication.
        package var authentication: Authentication
        /// The opening, the last refresh, or when a client came in; idle time counts from here.
        package var lastUsedAt: Instant
        /// Whether a token of it has come back, as far as its stream tells (decision 0146).
        package var isUsed: Bool
        package var families: [Family]
        /// Set once, never replaced (security.md I3).
        package var deviceKey: DeviceKey?
        /// Access tokens revoked alone and not yet expired, at most `revokedTokensMax`.
        package var revokedTokens: [RevokedToken]
        /// Whose tokens count, at most `clientsMax`; the one that opened it is the first.
        package var clients: [KnownClient]
        /// Families that ever were.
        package var familiesIssued: UInt16
        package var deviceSecret: DeviceSecret?
        /// A session on the same device, by its device secret.
        package var linkedDevice: SessionID?

        /// What it was opened with, which never changes; read where it is.
        package var opening: Opening { _read { yield sharedOpening.value } }

        package init(opening: Opening) {
            sharedOpening = Shared(opening)
            authentication = opening.authentication
            lastUsedAt = opening.openedAt
            isUsed = false
            families = []
            deviceKey = nil
            revokedTokens = []
            let first = KnownClient(
                client: opening.client,
                via: .opening,
                depth: 0,
                // A token may be born on a node whose clock is behind this event's.
                since: Instant(microseconds: 0)
            )
            clients = [first]
            familiesIssued = 0
            deviceSecret = nil
            linkedDevice = nil
        }
    }
}

// From another module a method of the value, or what it computes, would be asked of a copy.
extension Shared<OfflineGrant.Session> {
    /// As the session's, without a copy of it.
    package var opening: OfflineGrant.Opening { _read { yield value.sharedOpening.value } }

    /// As above.
    package func family(_ number: UInt16) -> OfflineGrant.Family? { value.family(number) }
}

extension OfflineGrant.State {
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
