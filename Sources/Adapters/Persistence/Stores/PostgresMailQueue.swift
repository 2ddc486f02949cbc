package import Domain
package import Issuing
internal import Postgres

/// The queue of mails due, in `es.mail_queue` (Events 8.3).
package struct PostgresMailQueue: MailQueue {
    private let database: Database

    /// Works on the connections of `database`.
    package init(_ database: Database) { self.database = database }

    package func enqueue(
        _ occasion: MailOccasion,
        project: ProjectNumber,
        by deadline: Deadline
    ) async throws(StoreError) {
        let row = occasion.row
        let statement = Statement<Void>(
            PackageResources.enqueue_mail_sql,
            [
                .uuid(row.mail.halves), .int4(row.generation),
                .optionalUUID(row.biometricKey?.halves), .int2(project.value),
            ]
        )
        try await database.execute(statement, by: deadline)
    }

    package func lease(limit: Int, by deadline: Deadline) async throws(StoreError) -> [DueMail] {
        try await database.execute(.leaseMails(limit: limit), by: deadline)
    }

    package func remove(_ mail: DueMail, afterSending: Bool, by deadline: Deadline)
        async throws(StoreError)
    {
        let statement = Statement<Void>(
            PackageResources.remove_mail_sql,
            [
                .uuid(mail.occasion.row.mail.halves), .int4(mail.occasion.row.generation),
                .optionalTimestamp(afterSending ? nil : mail.leasedUntil.microseconds),
            ]
        )
        try await database.execute(statement, by: deadline)
    }

    package func release(_ mails: [DueMail], by deadline: Deadline) async throws(StoreError) {
        let statement = Statement<Void>(
            PackageResources.release_mails_sql,
            [
                .uuids(mails.map(\.occasion.row.mail.halves)),
                .int4s(mails.map(\.occasion.row.generation)),
                .timestamps(mails.map(\.leasedUntil.microseconds)),
            ]
        )
        try await database.execute(statement, by: deadline)
    }

    package func postpone(
        _ mail: DueMail,
        seconds: Int,
        afterAttempt: Bool,
        by deadline: Deadline
    ) async throws(StoreError) {
        let statement = Statement<Void>(
            PackageResources.postpone_mail_sql,
            [
                .uuid(mail.occasion.row.mail.halves), .int4(mail.occasion.row.generation),
                .float8(Double(seconds)), .int4(afterAttempt ? 1 : 0),
                .timestamp(mail.leasedUntil.microseconds),
            ]
        )
        try await database.execute(statement, by: deadline)
    }
}

extension Statement where Row == DueMail {
    fileprivate static func leaseMails(limit: Int) -> Self {
        Statement(PackageResources.lease_mails_sql, [.int8(Int64(clamping: limit))]) {
            row throws(PostgresError) in
            guard let project = ProjectNumber(try row.int2(3)) else {
                throw .unexpectedRow(column: 3)
            }
            return DueMail(
                occasion: MailOccasion(
                    mail: StreamID(halves: try row.uuid(0)),
                    generation: try row.int4(1),
                    biometricKey: try row.optionalUUID(2).map { StreamID(halves: $0) }
                ),
                project: project,
                attempts: Int(try row.int4(4)),
                enqueuedAt: Instant(microseconds: try row.timestamp(5)),
                leasedUntil: Instant(microseconds: try row.timestamp(6))
            )
        }
    }
}

/// As a row has it: a login link and its generation, or the mail of a key, which has but one.
extension MailOccasion {
    fileprivate var row: (mail: StreamID, generation: Int32, biometricKey: StreamID?) {
        switch self {
        case .loginLink(let link, let generation): (link, generation, nil)
        case .biometricKey(let key, let mail): (mail, 1, key)
        }
    }

    fileprivate init(mail: StreamID, generation: Int32, biometricKey: StreamID?) {
        self =
            biometricKey.map { .biometricKey($0, mail: mail) }
            ?? .loginLink(mail, generation: generation)
    }
}
