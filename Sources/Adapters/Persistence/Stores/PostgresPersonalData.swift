package import Domain
package import Issuing
internal import Postgres

/// What PostgreSQL keeps of a user beside the log: sealing keys, contexts, snapshots.
package struct PostgresPersonalData: PersonalData {
    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func destroy(of subject: SubjectID, by deadline: Deadline) async throws(StoreError) {
        let steps = [
            PackageResources.destroy_subject_keys_sql,
            PackageResources.delete_subject_contexts_sql,
            PackageResources.delete_subject_snapshots_sql,
        ]
        for sql in steps {
            let statement = Statement<Void>(sql, [.uuid(subject.stream.halves)])
            try await database.execute(statement, by: deadline)
        }
    }
}
