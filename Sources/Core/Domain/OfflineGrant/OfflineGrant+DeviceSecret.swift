extension OfflineGrant {
    /// How long a device secret may still come after its successor was handed out.
    package static let deviceSecretGraceMilliseconds: Int64 = 60_000

    /// A new device secret (event 708).
    package struct DeviceSecretIssued: Hashable, Sendable {
        /// 1 for the first of a session.
        package var generation: UInt32
        package var secret: TokenDigest
        /// The key that was proven when the session's first one was born.
        package var dpopKey: Thumbprint?
        package var at: Instant

        package init(
            generation: UInt32,
            secret: TokenDigest,
            dpopKey: Thumbprint? = nil,
            at: Instant
        ) {
            self.generation = generation
            self.secret = secret
            self.dpopKey = dpopKey
            self.at = at
        }
    }

    /// That a pre-authenticated URL was made for a web client (event 718).
    package struct URLIssued: Hashable, Sendable {
        package var client: ClientID
        /// Of the client whose id token came: a URL leads no further away from the first client.
        ///
        /// Where that is a site which was left, of whoever was ever furthest (decision 0253).
        package var depth: UInt8
        /// The URL's stream.
        package var url: StreamID
        package var at: Instant

        package init(client: ClientID, depth: UInt8, url: StreamID, at: Instant) {
            self.client = client
            self.depth = depth
            self.url = url
            self.at = at
        }
    }

    /// The fold of a session's device secrets: the current one, and its predecessor for a while.
    package struct DeviceSecret: Hashable, Sendable {
        package enum Standing: Hashable, Sendable { case current, previous }

        package var generation: UInt32
        package var digest: TokenDigest
        package var previous: TokenDigest?
        package var dpopKey: Thumbprint?
        package var issuedAt: Instant
        /// Whether the current one came back: then its predecessor is dead.
        package var isUsed: Bool
        package var isRevoked: Bool

        package init(_ issued: DeviceSecretIssued, after previous: TokenDigest? = nil) {
            generation = issued.generation
            digest = issued.secret
            self.previous = previous
            dpopKey = issued.dpopKey
            issuedAt = issued.at
            isUsed = false
            isRevoked = false
        }

        /// Whether a value with this digest is good at `now`; nil: it is not.
        package func standing(of digest: TokenDigest, at now: Instant) -> Standing? {
            guard !isRevoked else { return nil }
            if digest == self.digest { return .current }
            return digest == previous && isHandingOver(at: now) ? .previous : nil
        }

        /// Whether the predecessor is still good, so that a lost answer can be given again.
        package func isHandingOver(at now: Instant) -> Bool {
            previous != nil && !isUsed && !isRevoked && now < handOverEnd
        }

        /// Whether it may have been handed out at `instant` or later.
        ///
        /// While it is handed over it is given again, and no event says so.
        package func mayBeHandedOut(since instant: Instant) -> Bool {
            issuedAt >= instant || previous != nil && instant < handOverEnd
        }

        private var handOverEnd: Instant {
            issuedAt.adding(milliseconds: deviceSecretGraceMilliseconds)
        }

        func generation(_ standing: Standing) -> UInt32 {
            switch standing {
            case .current: generation
            case .previous: generation - 1
            }
        }
    }

    /// The next value of a session that may have one; its binding stays the first one's.
    static func issueDeviceSecret(
        _ secret: TokenDigest,
        _ key: Thumbprint?,
        at now: Instant,
        in session: Session
    ) throws(Rejection) -> [Event] {
        guard session.isLive(at: now) else { throw .expired }
        guard session.opening.scope.contains("device_sso") else { throw .scope }
        let (generation, overflow) = (session.deviceSecret?.generation ?? 0)
            .addingReportingOverflow(1)
        guard !overflow else { throw .ended }
        let issued = DeviceSecretIssued(
            generation: generation,
            secret: secret,
            dpopKey: session.deviceSecret.map(\.dpopKey) ?? key,
            at: now
        )
        return [.deviceSecretIssued(issued)]
    }

    static func present(_ secret: TokenDigest, at now: Instant, in session: Session)
        throws(Rejection) -> [Event]
    {
        guard let current = session.deviceSecret,
            let standing = current.standing(of: secret, at: now)
        else { throw .wrongSecret }
        guard standing == .current, current.isHandingOver(at: now) else { return [] }
        return [.deviceSecretUsed(generation: current.generation)]
    }

    /// The secret and every client that came by it, at any remove; the first client stays.
    static func revokeDeviceSecret(
        _ secret: TokenDigest,
        at now: Instant,
        guestsSince: Instant? = nil,
        in session: Session
    ) throws(Rejection) -> [Event] {
        guard let current = session.deviceSecret, current.standing(of: secret, at: now) != nil
        else { throw .wrongSecret }
        let guests = session.clients.filter { guest in
            guard guest.via != .opening else { return false }
            return guestsSince.map { guest.admittedAt >= $0 } ?? true
        }
        return [.deviceSecretRevoked(generation: current.generation)]
            + guests.map { .clientLeft($0.client, .tokenRevocation) }
    }

    /// Makes a web client known, so that its tokens and id tokens count.
    static func issueURL(_ issued: URLIssued, hint: ClientID, in session: Session)
        throws(Rejection) -> [Event]
    {
        guard session.isLive(at: issued.at) else { throw .expired }
        // By the secret of an app that was thrown out nobody opens anything. The id token of the
        // last URL is the app's, though the site may have been left since.
        guard session.known(session.opening.client)?.via == .opening,
            session.known(hint) != nil || hint == issued.client
        else { throw .stranger }
        try session.requireRoom(for: issued.client)
        var issued = issued
        let depths = [hint, issued.client].compactMap(session.known).map(\.depth)
        // How far a site was that was left and comes back by its own id token is not known any
        // more: no further than anybody ever was. Whoever let it in may have left, too, so those
        // who are still there say nothing of it (Security 4.9, decision 0253).
        issued.depth = depths.max() ?? session.furthest
        return [.urlIssued(issued)]
    }
}
