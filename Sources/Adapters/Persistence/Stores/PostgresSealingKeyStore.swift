package import Domain
package import Issuing
internal import Postgres

/// Wrapped sealing keys, in `es.sealing_keys` (events.md section 5).
package struct PostgresSealingKeyStore: SealingKeyStore {
    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func insert(
        _ key: WrappedSealingKey,
        by deadline: Deadline
    ) async throws(StoreError) -> WrappedSealingKey {
        let statement = Statement<Void>(
            PackageResources.insert_sealing_key_sql,
            [
                .uuid(key.id.halves), .int2(key.project.value), .int4(key.kekVersion),
                .optionalBytes(key.wrapped), .bytes(key.commitment),
            ]
        )
        do { try await database.execute(statement, by: deadline) } catch {
            // Whether it is in is what the look-up tells.
            guard case .outcomeUnknown = error else { throw error }
        }
        guard let found = try await find(key.id, by: deadline) else { throw .unavailable }
        return found
    }

    package func find(
        _ id: StreamID,
        by deadline: Deadline
    ) async throws(StoreError) -> WrappedSealingKey? {
        try await database.query(.find(id), by: deadline).first
    }

    package func destroy(_ id: StreamID, by deadline: Deadline) async throws(StoreError) {
        let statement = Statement<Void>(
            PackageResources.destroy_sealing_key_sql,
            [.uuid(id.halves)]
        )
        try await database.execute(statement, by: deadline)
    }
}

extension Statement where Row == WrappedSealingKey {
    fileprivate static func find(_ id: StreamID) -> Self {
        Statement(PackageResources.find_sealing_key_sql, [.uuid(id.halves)]) {
            row throws(PostgresError) in
            guard let project = ProjectNumber(try row.int2(1)) else {
                throw .unexpectedRow(column: 1)
            }
            return WrappedSealingKey(
                id: StreamID(halves: try row.uuid(0)),
                project: project,
                kekVersion: try row.int4(2),
                wrapped: try row.optionalBytes(3),
                commitment: try row.bytes(4)
            )
        }
    }
}
