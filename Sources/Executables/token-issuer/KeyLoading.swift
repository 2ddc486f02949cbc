internal import Domain
internal import Runtime
internal import Signing

/// Reads private halves into the vault, and says once what of them this node lacks.
///
/// Asked again every few seconds: a file that comes late, or is mended, is in use from then on.
final class KeyLoading: Sendable {
    private let vault: SigningKeyVault
    private let log: Log
    private let told = Guarded<[String: UnheldKey.Reason]>([:])

    init(into vault: SigningKeyVault, log: Log) {
        self.vault = vault
        self.log = log
    }

    /// What a ring may sign with; an answer is one reason for each key that cannot be used.
    @discardableResult
    func load(_ ring: SigningKeyRing.State) async -> [UnheldKey] {
        let unheld: [UnheldKey]
        do { unheld = try await vault.load(ring) } catch {
            log.error("signing keys cannot be read now", .field("error", "\(error)"))
            return []
        }
        for key in unheld {
            let isNews = told.withLock { $0.updateValue(key.reason, forKey: key.kid) != key.reason }
            if isNews {
                log.error(
                    "a signing key cannot be used on this node",
                    .field("kid", key.kid),
                    .field("error", key.finding)
                )
            }
        }
        return unheld
    }
}
