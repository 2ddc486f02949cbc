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
