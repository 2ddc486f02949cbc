package import Domain

/// A project as one node sees it now: settings, keys, and the versions they were read at.
///
/// A class, because every request carries it through all layers: one reference, not thirty.
package final class Project: Sendable {
    package let number: ProjectNumber
    package let settings: ProjectSettings
    /// SHA-256 of the applied document.
    package let digest: TokenDigest
    /// What every issuing command guards, so that a disabled client is refused from its commit on.
    package let configuration: StreamGuard
    package let isSuspended: Bool
    /// Whether the document in force cannot be read here: then `settings` are of one before it.
    package let isBehind: Bool
    package let keys: SigningKeyRing.State
    package let keysStream: StreamID
    package let keysVersion: Int32
    /// When clients came that an earlier document had not.
    package let clientsSince: [ClientID: Instant]
    /// When clients were removed whose end also ends the sessions they had let in.
    package let cascadedAt: [ClientID: Instant]
    /// Each client of `settings`.
    private let clients: [ClientID: Shared<ClientSettings>]

    package init(
        number: ProjectNumber,
        settings: ProjectSettings,
        digest: TokenDigest,
        configuration: StreamGuard,
        isSuspended: Bool = false,
        isBehind: Bool = false,
        clientsSince: [ClientID: Instant] = [:],
        cascadedAt: [ClientID: Instant] = [:],
        keys: SigningKeyRing.State,
        keysStream: StreamID,
        keysVersion: Int32
    ) {
        self.number = number
        self.settings = settings
        self.digest = digest
        self.configuration = configuration
        self.isSuspended = isSuspended
        self.isBehind = isBehind
        self.clientsSince = clientsSince
        self.cascadedAt = cascadedAt
        self.keys = keys
        self.keysStream = keysStream
        self.keysVersion = keysVersion
        let clients = settings.clients.map { ($0.id, Shared($0)) }
        self.clients = Dictionary(clients) { first, _ in first }
    }

    /// What a command guards that believes a token by one of these keys.
    package var ring: StreamGuard {
        StreamGuard(stream: keysStream, version: keysVersion, server: configuration.server)
    }

    /// The issuer: an origin without trailing slash.
    package var issuer: String { settings.publicOrigin }

    /// The id of the key that signs by an algorithm; nil while none does.
    package func signingKey(_ algorithm: SigningKeyRing.Algorithm) -> String? {
        keys.currentID(algorithm)
    }

    /// What a client's id tokens are signed with: as this snapshot has it, like its keys, whatever
    /// newer settings a command has decided by; ES256 for a client that it does not name.
    package func idTokenAlgorithm(of client: ClientID) -> SigningKeyRing.Algorithm {
        clients[client]?.value.idTokenAlgorithm ?? .es256
    }

    /// A client, also a disabled one; nil when the document names none.
    package func client(_ id: ClientID) -> ClientSettings? {
        clients[id]?.value
    }

    /// What people call a client; one that has been removed since has no name any more, but its id.
    package func name(of id: ClientID) -> String {
        clients[id]?.value.name ?? id.text
    }

    /// Whether a client needs its users' consent; not one that the document does not name.
    func requiresConsent(_ id: ClientID) -> Bool {
        clients[id]?.value.consentRequired ?? false
    }

    /// Nil also for a disabled client and a suspended project.
    ///
    /// Shared: a copy of its settings counts a reference for each text in them, and all workers
    /// would count the same ones.
    package func enabledClient(_ id: ClientID) -> Shared<ClientSettings>? {
        isSuspended ? nil : servedClient(id)
    }

    /// As `enabledClient`, but also while the project is suspended: for what ends something, or
    /// only tells what there is (decision 0201).
    package func servedClient(_ id: ClientID) -> Shared<ClientSettings>? {
        guard let client = clients[id], client.value.enabled else { return nil }
        return client
    }
}

extension Project {
    /// Whether a client that is unknown here may stand in the document that cannot be read.
    func mayLack(_ client: ClientID) -> Bool { isBehind && clients[client] == nil }

    /// Whether a token signed by this key counts; nil, when no key is asked about, does.
    package func believes(_ key: String?) -> Bool {
        guard let key else { return true }
        return keys.believes(key) ?? false
    }

    /// Whether a login counts at a client, whichever one asked for it: by how it was approved
    /// (WireContract 7.3, decision 0240).
    ///
    /// One from before that was recorded may have been a tap: no document in force now tells what
    /// the one of then allowed.
    func accepts(_ login: Authentication, at client: ClientID) -> Bool {
        accepts(approval: login.approval, at: client)
    }

    /// As above, by the approval alone.
    func accepts(approval: LoginLink.Approval?, at client: ClientID) -> Bool {
        let mode = clients[client]?.value.loginLinkMode ?? .deny
        return mode.accepts(approval ?? .anyDevice)
    }

    /// Whether what `client` was given at `instant` still counts: not once it has left the
    /// configuration, whether or not it came back (WireContract 3.2).
    package func honours(_ client: ClientID, since instant: Instant) -> Bool {
        clientsSince[client].map { instant >= $0 } ?? true && !hasCascaded(client, since: instant)
    }

    /// Whether the client has left since `instant`, and that ended the sessions it had let in.
    func hasCascaded(_ client: ClientID, since instant: Instant) -> Bool {
        cascadedAt[client].map { instant <= $0 } ?? false
    }

    /// Whether the document that cannot be read may say that the end of a session no longer ends
    /// those it let in: not once its client has left and taken them along (decision 0157).
    func mayHaveStopped(cascading opening: OfflineGrant.Opening) -> Bool {
        isBehind && !hasCascaded(opening.client, since: opening.openedAt)
    }

    /// The same project, when what the log has of its configuration cannot be read.
    var behind: Project {
        Project(
            number: number,
            settings: settings,
            digest: digest,
            configuration: configuration,
            isSuspended: isSuspended,
            isBehind: true,
            clientsSince: clientsSince,
            cascadedAt: cascadedAt,
            keys: keys,
            keysStream: keysStream,
            keysVersion: keysVersion
        )
    }

    /// Whether the client's part in `session` still counts; one that has none has lost none.
    package func honours(_ client: ClientID, in session: OfflineGrant.Session) -> Bool {
        guard let known = session.known(client) else {
            return client != session.sharedOpening.value.client
                || honours(client, since: session.sharedOpening.value.openedAt)
        }
        return honours(
            client,
            since: known.via == .opening ? session.sharedOpening.value.openedAt : known.since
        )
    }

    /// As below, but also while the project is suspended, as `servedClient`.
    func servedClient(_ id: ClientID, in session: OfflineGrant.Session)
        -> Shared<ClientSettings>?
    {
        honours(id, in: session) ? servedClient(id) : nil
    }

    /// The client while it is enabled and its part in `session` counts.
    package func enabledClient(_ id: ClientID, in session: OfflineGrant.Session)
        -> Shared<ClientSettings>?
    {
        honours(id, in: session) ? enabledClient(id) : nil
    }
}
