import Domain
import Issuing
import Persistence
import Postgres

extension WrappedSealingKey {
    /// One that opens nothing, filled with `byte`.
    static func sample(_ id: StreamID, in project: ProjectNumber, byte: UInt8 = 7) -> Self {
        Self(
            id: id,
            project: project,
            kekVersion: 1,
            wrapped: Array(repeating: byte, count: 61),
            commitment: Array(repeating: byte, count: 32)
        )
    }
}

extension Database {
    /// Destroys the key `id`, as an erasure does.
    func destroyKey(_ id: StreamID) async throws(StoreError) {
        try await execute(Statement<Void>(once: "SELECT es.destroy_key('\(id)')"), by: .soon)
    }
}
