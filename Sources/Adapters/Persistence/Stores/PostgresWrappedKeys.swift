package import Domain
package import Issuing
internal import Postgres

/// The sealing keys of `es.sealing_keys`, page by page.
package struct PostgresWrappedKeys: WrappedKeyPages {
    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func page(otherThan version: Int32, after last: StreamID?, by deadline: Deadline)
        async throws(StoreError) -> [WrappedSealingKey]
    {
        let statement = Statement(
            PackageResources.keys_to_rewrap_sql,
            [.int4(version), .uuid((last ?? StreamID(high: 0, low: 0)).halves)],
            read: WrappedSealingKey.init(row:)
        )
        return try await database.query(statement, by: deadline)
    }

    package func replace(_ keys: [RewrappedKey], by deadline: Deadline)
        async throws(StoreError) -> Int
    {
        let living = keys.filter { $0.found.wrapped != nil && $0.anew.wrapped != nil }
        let statement = Statement(
            PackageResources.rewrap_keys_sql,
            [
                .uuids(living.map(\.found.id.halves)),
                .byteStrings(living.compactMap(\.found.wrapped)),
                .byteStrings(living.compactMap(\.anew.wrapped)),
                .int4s(living.map(\.anew.kekVersion)),
            ]
        ) { row throws(PostgresError) in try row.int8(0) }
        do { return Int(try await database.execute(statement, by: deadline).first ?? 0) } catch {
            // The next pass looks at what came of it.
            guard case .outcomeUnknown = error else { throw error }
            return 0
        }
    }
}
