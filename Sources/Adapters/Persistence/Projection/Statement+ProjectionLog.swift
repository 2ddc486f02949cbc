internal import Domain
internal import EventFormat
internal import Postgres

/// A row of the log as a projection reads it.
struct ProjectedRow: Sendable {
    /// What is read of it.
    enum Content: Sendable {
        /// An event of a session.
        case event(RecordedEvent)
        /// Of another kind, or gone with its partition.
        case nothing
        /// The text says why.
        case unreadable(String)
    }

    let index: Int64?
    let stream: StreamID
    let version: Int32
    let content: Content

    /// Decodes a stored event; only what sessions leave is of interest.
    init(
        index: Int64?,
        stream: StreamID,
        version: Int32,
        type: Int16,
        project: Int16,
        columns: StoredColumns,
        payload: [UInt8]?
    ) {
        self.index = index
        self.stream = stream
        self.version = version
        guard let known = StoredType(rawValue: type) else {
            content = .unreadable("type \(type) is unknown here")
            return
        }
        switch known.kind {
        case .offlineGrant, .browserSession: break
        case .subject, .loginID, .loginLink, .authorization, .authorizationCode, .biometricKey,
            .preAuthenticatedURL, .consent, .spent, .signingKey, .projectConfig:
            content = .nothing
            return
        }
        do throws(FormatError) {
            guard let number = ProjectNumber(project) else { throw .invalid("project") }
            content = .event(
                RecordedEvent(
                    logIndex: index,
                    project: number,
                    stream: stream,
                    version: version,
                    occurredAt: columns.occurredAt,
                    subject: columns.subject,
                    session: columns.session,
                    body: try EventFormat.decode(
                        type: type,
                        payload: payload ?? [],
                        columns: columns
                    )
                )
            )
        } catch { content = .unreadable("\(known.name), version \(version): \(error)") }
    }
}

extension Statement where Row == ProjectedRow {
    static func history(of stream: StreamID, after version: Int32, upTo last: Int32) -> Self {
        Statement(
            PackageResources.projection_history_sql,
            [.uuid(stream.halves), .int4(version), .int4(last)]
        ) { row throws(PostgresError) in
            ProjectedRow(
                index: try row.optionalInt8(7),
                stream: stream,
                version: try row.int4(0),
                type: try row.int2(1),
                project: try row.int2(2),
                columns: try columns(row, from: 3),
                payload: try row.bytes(6)
            )
        }
    }

    static func published(after index: Int64) -> Self {
        Statement(PackageResources.projection_published_sql, [.int8(index)]) {
            row throws(PostgresError) in
            let index = try row.int8(0)
            let stream = StreamID(halves: try row.uuid(1))
            let version = try row.int4(2)
            guard !row.isNull(3) else {
                return ProjectedRow(gone: index, stream: stream, version: version)
            }
            return ProjectedRow(
                index: index,
                stream: stream,
                version: version,
                type: try row.int2(3),
                project: try row.int2(4),
                columns: try columns(row, from: 5),
                payload: try row.optionalBytes(8)
            )
        }
    }

    private static func columns(
        _ row: borrowing ResultRow,
        from first: Int
    ) throws(PostgresError) -> StoredColumns {
        StoredColumns(
            occurredAt: Instant(microseconds: try row.timestamp(first)),
            subject: try row.optionalUUID(first + 1).map { SubjectID(StreamID(halves: $0)) },
            session: try row.optionalUUID(first + 2).map { SessionID(StreamID(halves: $0)) }
        )
    }
}

extension ProjectedRow {
    /// A number whose event is gone with its partition.
    init(gone index: Int64, stream: StreamID, version: Int32) {
        self.index = index
        self.stream = stream
        self.version = version
        content = .nothing
    }
}

extension Statement where Row == StreamID {
    static func ledgerStream(_ index: Int64) -> Self {
        Statement(PackageResources.ledger_stream_sql, [.int8(index)]) {
            row throws(PostgresError) in StreamID(halves: try row.uuid(0))
        }
    }
}

/// A session and the last version applied of it.
struct SessionVersion: Sendable {
    let session: SessionID
    let version: Int32
}

extension Statement where Row == SessionVersion {
    static func versions(of sessions: [SessionID]) -> Self {
        Statement(
            PackageResources.session_versions_sql,
            [.uuids(sessions.map(\.stream.halves))]
        ) { row throws(PostgresError) in
            SessionVersion(
                session: SessionID(StreamID(halves: try row.uuid(0))),
                version: try row.int4(1)
            )
        }
    }
}
