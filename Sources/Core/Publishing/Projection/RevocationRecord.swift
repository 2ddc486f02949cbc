package import Domain
internal import OAuth

/// A record of `chancery.revocations` (Events 10.3), which is also an item of the feed.
package struct RevocationRecord: Hashable, Sendable {
    /// Records published together.
    package static let batchMax = 500

    /// The key: a session, or one token of it.
    package var key: String
    package var session: SessionID
    package var client: String?
    package var token: String?
    package var subject: StreamID?
    package var revokedAt: Instant
    package var issuedBefore: Instant?
    package var expiresAt: Instant
    package var reason: String
    package var log: StreamID
    package var index: Int64
    /// See `ProjectionBatch.Row`; not part of the record.
    package var lateNumber: Int64?

    /// Puts a record together.
    package init(
        key: String,
        session: SessionID,
        client: String?,
        token: String?,
        subject: StreamID?,
        revokedAt: Instant,
        issuedBefore: Instant?,
        expiresAt: Instant,
        reason: String,
        log: StreamID,
        index: Int64,
        lateNumber: Int64? = nil
    ) {
        self.key = key
        self.session = session
        self.client = client
        self.token = token
        self.subject = subject
        self.revokedAt = revokedAt
        self.issuedBefore = issuedBefore
        self.expiresAt = expiresAt
        self.reason = reason
        self.log = log
        self.index = index
        self.lateNumber = lateNumber
    }

    /// The value on Kafka.
    package var value: [UInt8] { render(withKey: false) }

    /// The item of the feed (WireContract 12.1).
    package var item: [UInt8] { render(withKey: true) }

    private func render(withKey: Bool) -> [UInt8] {
        var writer = JSONWriter(reserving: 320)
        writer.object {
            if withKey { $0.member("key", key) }
            $0.member("sid", "\(session)")
            if let client { $0.member("client", client) }
            if let token { $0.member("jti", token) }
            if let subject { $0.member("subject", "\(subject)") }
            $0.member("revoked_at", revokedAt.milliseconds)
            if let issuedBefore { $0.member("issued_before_at", issuedBefore.milliseconds) }
            $0.member("expires_at", expiresAt.milliseconds)
            $0.member("reason", reason)
            $0.member("log_id", "\(log)")
            $0.member("log_index", index)
        }
        return writer.bytes
    }
}
