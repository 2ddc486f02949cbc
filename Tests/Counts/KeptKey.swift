import Domain
import Issuing
import Runtime

/// The sealing key of the one user, as a database has it.
final class KeptKey: SealingKeyStore {
    private let row = Guarded<WrappedSealingKey?>(nil)

    func insert(_ key: WrappedSealingKey, by deadline: Deadline) async throws(StoreError)
        -> WrappedSealingKey
    {
        row.withLock { $0 = key }
        return key
    }

    func find(_ id: StreamID, by deadline: Deadline) async throws(StoreError) -> WrappedSealingKey?
    {
        row.withLock { $0?.id == id ? $0 : nil }
    }
}
