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
    package let keys: SigningKeyRing.State
    package let keysStream: StreamID
    package let keysVersion: Int32
    private let clients: [ClientID: ClientSettings]

    package init(
        number: ProjectNumber,
        settings: ProjectSettings,
        digest: TokenDigest,
        configuration: StreamGuard,
        isSuspended: Bool = false,
        keys: SigningKeyRing.State,
        keysStream: StreamID,
        keysVersion: Int32
    ) {
        self.number = number
        self.settings = settings
        self.digest = digest
        self.configuration = configuration
        self.isSuspended = isSuspended
        self.keys = keys
        self.keysStream = keysStream
        self.keysVersion = keysVersion
        clients = Dictionary(settings.clients.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The issuer: an origin without trailing slash.
    package var issuer: String { settings.publicOrigin }

    /// Nil also for a disabled client and a suspended project.
    package func enabledClient(_ id: ClientID) -> ClientSettings? {
        guard !isSuspended, let client = clients[id], client.enabled else { return nil }
        return client
    }
}
