import Domain
import Issuing
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

extension TestDatabase {
    /// Destroys the key `id`, whatever the log has of it.
    func destroyKey(_ id: StreamID) async throws {
        let owner = try await connect()
        defer { owner.close() }
        try await owner.run(
            """
            UPDATE es.sealing_keys SET wrapped = NULL, destroyed_at = now()
             WHERE key_id = '\(id)'
            """
        )
    }
}
