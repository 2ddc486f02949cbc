internal import Domain
internal import Projections
internal import Publishing

extension InMemoryProjectionSession {
    /// What the topic and the feed show of a row.
    static func record(
        _ row: ProjectionBatch.Row,
        of log: StreamID
    ) -> RevocationRecord {
        let revocation = row.revocation
        return RevocationRecord(
            key: revocation.key.description,
            session: revocation.key.session,
            client: revocation.client?.text,
            token: revocation.key.token.map { "\($0)" },
            subject: revocation.subject?.stream,
            revokedAt: revocation.revokedAt,
            issuedBefore: revocation.issuedBefore,
            expiresAt: revocation.expiresAt,
            reason: revocation.reason,
            log: log,
            index: revocation.logIndex ?? 0,
            lateNumber: row.lateNumber
        )
    }
}

extension InMemoryReadModel.Contents {
    /// A client may come again and leave again; all else ends once.
    mutating func put(_ row: ProjectionBatch.Row) {
        let key = row.revocation.key.description
        var row = row
        if let known = rows[key]?.revocation {
            guard known.issuedBefore != nil,
                known.logIndex ?? 0 < row.revocation.logIndex ?? 0
            else { return }
            row.revocation = row.revocation.replacing(known)
        }
        rows[key] = row
        outbox.append(key)
    }
}
