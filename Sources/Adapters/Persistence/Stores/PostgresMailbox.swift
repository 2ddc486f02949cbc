package import Domain
package import Issuing
internal import Postgres

/// The queue of mails due, in `es.mail_queue` (events.md section 8.3).
package struct PostgresMailbox: Mailbox {
    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func enqueue(
        _ link: StreamID,
        generation: Int32,
        project: ProjectNumber,
        by deadline: Deadline
    ) async throws(StoreError) {
        let statement = Statement<Void>(
            PackageResources.enqueue_mail_sql,
            [.uuid(link.halves), .int4(generation), .int2(project.value)]
        )
        try await database.execute(statement, by: deadline)
    }

    package func lease(limit: Int, by deadline: Deadline) async throws(StoreError) -> [DueMail] {
        try await database.execute(.leaseMails(limit: limit), by: deadline)
    }

    package func remove(_ mail: DueMail, by deadline: Deadline) async throws(StoreError) {
        let statement = Statement<Void>(
            PackageResources.remove_mail_sql,
            [.uuid(mail.link.halves), .int4(mail.generation)]
        )
        try await database.execute(statement, by: deadline)
    }

    package func release(_ mails: [DueMail], by deadline: Deadline) async throws(StoreError) {
        let statement = Statement<Void>(
            PackageResources.release_mails_sql,
            [
                .uuids(mails.map(\.link.halves)), .int4s(mails.map(\.generation)),
                .timestamps(mails.map(\.leasedUntil.microseconds)),
            ]
        )
        try await database.execute(statement, by: deadline)
    }

    package func postpone(
        _ mail: DueMail,
        seconds: Int,
        by deadline: Deadline
    ) async throws(StoreError) {
        let statement = Statement<Void>(
            PackageResources.postpone_mail_sql,
            [
                .uuid(mail.link.halves), .int4(mail.generation),
                .float8(Double(seconds)),
            ]
        )
        try await database.execute(statement, by: deadline)
    }
}

extension Statement where Row == DueMail {
    fileprivate static func leaseMails(limit: Int) -> Self {
        Statement(PackageResources.lease_mails_sql, [.int8(Int64(clamping: limit))]) {
            row throws(PostgresError) in
            guard let project = ProjectNumber(try row.int2(2)) else {
                throw .unexpectedRow(column: 2)
            }
            return DueMail(
                link: StreamID(halves: try row.uuid(0)),
                generation: try row.int4(1),
                project: project,
                attempts: Int(try row.int4(3)),
                enqueuedAt: Instant(microseconds: try row.timestamp(4)),
                leasedUntil: Instant(microseconds: try row.timestamp(5))
            )
        }
    }
}
