package import Domain
package import Issuing
internal import Postgres
internal import Runtime

/// Wrapped sealing keys, in `es.sealing_keys` (Events 5).
package struct PostgresSealingKeyStore: SealingKeyStore {
    private let database: Database
    private let readers: [SealingKeyReader]

    /// Works on the connections of `database`; what a turn of a loop looks up goes out together.
    package init(_ database: Database) {
        self.database = database
        readers = database.loops.map { loop in
            SealingKeyReader(on: loop) { ids, deadline async throws(StoreError) in
                try await database.query(.find(ids), by: deadline)
            }
        }
    }

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
        guard let current = Loop.current,
            let reader = readers.first(where: { $0.loop === current })
        else { throw .unavailable }
        return try await reader.find(id, by: deadline)
    }
}

extension Statement where Row == WrappedSealingKey {
    fileprivate static func find(_ ids: [StreamID]) -> Self {
        Statement(
            PackageResources.find_sealing_keys_sql,
            [.uuids(ids.map(\.halves))],
            read: WrappedSealingKey.init(row:)
        )
    }
}

extension WrappedSealingKey {
    /// Reads key_id, project, kek_version, wrapped, commitment.
    @Sendable init(row: borrowing ResultRow) throws(PostgresError) {
        guard let project = ProjectNumber(try row.int2(1)) else {
            throw .unexpectedRow(column: 1)
        }
        self.init(
            id: StreamID(halves: try row.uuid(0)),
            project: project,
            kekVersion: try row.int4(2),
            wrapped: try row.optionalBytes(3),
            commitment: try row.bytes(4)
        )
    }
}
