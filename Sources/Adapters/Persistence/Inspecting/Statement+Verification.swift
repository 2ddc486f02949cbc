internal import Domain
internal import EventFormat
internal import Postgres

/// A number of the published order, and what the log has of it.
struct PublishedEvent: Sendable {
    let index: Int64
    let stream: StreamID
    let version: Int32
    let position: Int64
    /// The hash with which it was published.
    let published: [UInt8]
    /// The hash it has now; nil: it is not there.
    let found: [UInt8]?
    let isInPlace: Bool
    /// Whether its partition may be gone by now.
    let mayBeGone: Bool
    /// Whether `event` and `before` were asked for, and there is an event.
    var isInFull = false
    /// Nil also where a column has what no program writes.
    var event: StoredEvent?
    /// The hash of the event before it in its stream; nil: there is none.
    var before: [UInt8]?

    /// What is not as it was when it was published, if anything is.
    func difference(sha256: ([UInt8]) -> TokenDigest) -> LogDifference? {
        kind(sha256: sha256).map {
            LogDifference($0, of: stream, version: version, position: position, logIndex: index)
        }
    }

    private func kind(sha256: ([UInt8]) -> TokenDigest) -> LogDifference.Kind? {
        guard let found else { return mayBeGone ? nil : .absent }
        guard found == published else { return .published }
        guard isInPlace else { return .place }
        guard isInFull else { return nil }
        let previous = before.flatMap { TokenDigest(bytes: $0) }.map { EventHash(digest: $0) }
        guard previous != nil || version == 1 else { return .gap }
        guard let event else { return .content }
        let hash = HashChain.hash(of: event, after: previous, sha256: sha256)
        return hash.digest.bytes == found ? nil : .content
    }
}

/// What the relay's cursor says of the numbers that were given.
struct GivenNumbers: Sendable {
    /// The one that is given next.
    let next: Int64
    /// Whether the ledger has the one before the number that was asked about, or there is none.
    let hasLast: Bool
}

extension Statement where Row == GivenNumbers {
    /// How far the ledger has to go, and whether it has the number before this one.
    static func givenNumbers(before index: Int64) -> Self {
        Statement(PackageResources.verify_cursor_sql, [.int8(index)]) { row throws(PostgresError) in
            GivenNumbers(next: try row.int8(0), hasLast: try row.bool(1))
        }
    }
}

extension Statement where Row == ChainCheck.Row {
    /// The next events behind a version of a stream, in the order of their streams.
    static func verifiedStreams(after stream: StreamID, _ version: Int32) -> Self {
        Statement(
            PackageResources.verify_streams_sql,
            [.uuid(stream.halves), .int4(version)]
        ) { row throws(PostgresError) in
            let stream = StreamID(halves: try row.uuid(0))
            let version = try row.int4(1)
            return ChainCheck.Row(
                stream: stream,
                version: version,
                position: try row.int8(2),
                event: try row.event(of: stream, version, from: 4),
                hash: TokenDigest(bytes: try row.bytes(3)).map { EventHash(digest: $0) }
            )
        }
    }
}

extension Statement where Row == PublishedEvent {
    /// What was published behind a number, without what is hashed of it.
    static func verifiedLedger(after index: Int64) -> Self {
        Statement(PackageResources.verify_ledger_sql, [.int8(index)]) {
            row throws(PostgresError) in try row.published()
        }
    }

    /// The same, with all that is hashed of it.
    static func verifiedEvents(after index: Int64) -> Self {
        Statement(PackageResources.verify_published_sql, [.int8(index)]) {
            row throws(PostgresError) in
            var published = try row.published()
            guard published.found != nil else { return published }
            published.isInFull = true
            published.before = try row.optionalBytes(8)
            published.event = try row.event(of: published.stream, published.version, from: 9)
            return published
        }
    }
}

extension ResultRow {
    /// The columns that both statements have.
    fileprivate func published() throws(PostgresError) -> PublishedEvent {
        let found = try optionalBytes(5)
        return PublishedEvent(
            index: try int8(0),
            stream: StreamID(halves: try uuid(1)),
            version: try int4(2),
            position: try int8(3),
            published: try bytes(4),
            found: found,
            isInPlace: found == nil ? false : try bool(6),
            mayBeGone: try bool(7)
        )
    }

    /// An event whose columns begin with `type`; nil: its project is none.
    fileprivate func event(of stream: StreamID, _ version: Int32, from first: Int)
        throws(PostgresError) -> StoredEvent?
    {
        guard let project = ProjectNumber(try int2(first + 1)) else { return nil }
        return StoredEvent(
            project: project,
            stream: stream,
            version: version,
            type: try int2(first),
            command: CommandID(StreamID(halves: try uuid(first + 3))),
            actor: try optionalUUID(first + 4).map { StreamID(halves: $0) },
            columns: StoredColumns(
                occurredAt: Instant(microseconds: try timestamp(first + 2)),
                subject: try optionalUUID(first + 5).map { SubjectID(StreamID(halves: $0)) },
                session: try optionalUUID(first + 7).map { SessionID(StreamID(halves: $0)) },
                client: try optionalUUID(first + 6).map { StreamID(halves: $0) }
            ),
            payload: try bytes(first + 8),
            metadata: try bytes(first + 9)
        )
    }
}
