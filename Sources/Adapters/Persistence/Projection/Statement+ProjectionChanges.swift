internal import Domain
internal import Postgres
internal import Projections
internal import Publishing

extension Statement where Row == Void {
    /// Raises `ES005` when the live model is not `generation`.
    static func hold(_ projection: String, _ generation: Int32) -> Self {
        Statement(PackageResources.hold_projection_sql, [.text(projection), .int4(generation)])
    }

    static func move(
        _ projection: String,
        _ topic: String,
        cluster: String,
        to progress: ProjectionProgress
    ) -> Self {
        let offsets = progress.offsets.sorted { $0.key < $1.key }
        let applied = progress.applied.sorted { $0.key < $1.key }
        return Statement(
            PackageResources.projection_move_sql,
            [
                .text(projection), .text(topic), .text(cluster),
                .int4s(offsets.map(\.key)), .int8s(offsets.map(\.value)),
                .uuid(progress.log.halves),
                .int4s(applied.map(\.key)), .int8s(applied.map(\.value)),
                .int8(progress.frontier),
                .optionalTimestamp(progress.complete?.completeThrough.microseconds),
                .optionalInt8(progress.complete?.index),
                .int8(progress.late), .int4(progress.generation),
            ]
        )
    }

    static func add(_ rows: [ProjectionBatch.Row], of log: StreamID) -> Self {
        let revocations = rows.map(\.revocation)
        return Statement(
            PackageResources.add_revocations_sql,
            [
                .texts(revocations.map(\.key.description)),
                .int2s(revocations.map(\.project.value)),
                .uuids(revocations.map(\.key.session.stream.halves)),
                .optionalTexts(revocations.map { $0.client?.text }),
                .optionalTexts(revocations.map { $0.key.token.map { "\($0)" } }),
                .optionalUUIDs(revocations.map { $0.subject?.stream.halves }),
                .timestamps(revocations.map(\.revokedAt.microseconds)),
                .optionalTimestamps(revocations.map { $0.issuedBefore?.microseconds }),
                .timestamps(revocations.map(\.expiresAt.microseconds)),
                .texts(revocations.map(\.reason)),
                .uuids(revocations.map { _ in log.halves }),
                .int8s(revocations.map { $0.logIndex ?? 0 }),
                .optionalInt8s(rows.map(\.lateNumber)),
                .optionalInt8s(revocations.map(\.firstLogIndex)),
            ]
        )
    }

    /// New rows of the list of sessions: the patches with an opening.
    static func open(_ patches: [RecordedSessions.Patch]) -> Self {
        let rows = patches.compactMap { patch in patch.opening.map { (patch, $0) } }
        return Statement(
            PackageResources.open_sessions_sql,
            [
                .uuids(rows.map(\.1.session.stream.halves)),
                .texts(rows.map(\.1.kind.rawValue)),
                .int4s(rows.map(\.0.version)),
                .int2s(rows.map(\.1.project.value)),
                .uuids(rows.map(\.1.subject.stream.halves)),
                .optionalTexts(rows.map { $0.1.client?.text }),
                .timestamps(rows.map(\.1.openedAt.microseconds)),
                .timestamps(rows.map { ($0.0.seenAt ?? $0.1.openedAt).microseconds }),
                .timestamps(rows.map(\.1.expiresAt.microseconds)),
                .optionalTimestamps(rows.map { $0.0.endedAt?.microseconds }),
                .optionalTexts(rows.map(\.0.reason)),
                .texts(rows.map { "\($0.1.parent.kind.rawValue):\($0.1.parent.stream)" }),
            ]
        )
    }

    /// Later events of sessions: the patches without an opening.
    static func change(_ patches: [RecordedSessions.Patch]) -> Self {
        let rows = patches.filter { $0.opening == nil }
        return Statement(
            PackageResources.change_sessions_sql,
            [
                .uuids(rows.map(\.session.stream.halves)),
                .int4s(rows.map(\.version)),
                .optionalTimestamps(rows.map { $0.seenAt?.microseconds }),
                .optionalTimestamps(rows.map { $0.endedAt?.microseconds }),
                .optionalTexts(rows.map(\.reason)),
            ]
        )
    }

    static func block(_ keys: [BlockedKey], in projection: String) -> Self {
        Statement(
            PackageResources.block_keys_sql,
            [
                .text(projection), .byteStrings(keys.map(\.key)), .int4s(keys.map(\.partition)),
                .int8s(keys.map(\.offset)), .int8s(keys.map(\.index)),
                .optionalUUIDs(keys.map { $0.stream?.halves }), .texts(keys.map(\.reason)),
            ]
        )
    }

    static func release(_ keys: [[UInt8]], in projection: String) -> Self {
        Statement(
            PackageResources.release_keys_sql,
            [.text(projection), .byteStrings(keys)]
        )
    }

    static func queueRevocations(after key: String, through last: String) -> Self {
        Statement(PackageResources.queue_revocations_sql, [.text(key), .text(last)])
    }

    /// `topic` on `cluster` gets all that it lacks from the outbox.
    static func tell(_ projection: String, cluster: String, _ topic: String) -> Self {
        Statement(
            PackageResources.tell_cluster_sql,
            [.text(projection), .text(cluster), .text(topic)]
        )
    }

    /// `topic` has what it was given up to these offsets.
    static func keepAcknowledged(
        _ projection: String,
        _ topic: String,
        _ acknowledged: [Int32: Int64]
    ) -> Self {
        Statement(
            PackageResources.keep_acknowledged_sql,
            [.text(projection), .text(topic), .offsets(acknowledged)]
        )
    }

    static func clearOutbox(_ keys: [String]) -> Self {
        Statement(PackageResources.clear_outbox_sql, [.texts(keys)])
    }

    static func dropBuriedRevocations(_ keys: [String], before now: Instant) -> Self {
        Statement(
            PackageResources.drop_buried_revocations_sql,
            [.texts(keys), .timestamp(now.microseconds)]
        )
    }
}

extension Statement where Row == String {
    static func revocationsToBury(before now: Instant) -> Self {
        Statement(PackageResources.revocations_to_bury_sql, [.timestamp(now.microseconds)]) {
            row throws(PostgresError) in
            try row.text(0)
        }
    }
}

extension Statement where Row == Int64 {
    /// How many it was; `now` by our clock: what goes has expired by it and by the database's.
    static func dropOldRevocations(before now: Instant) -> Self {
        Statement(PackageResources.drop_old_revocations_sql, [.timestamp(now.microseconds)]) {
            row throws(PostgresError) in
            try row.int8(0)
        }
    }

    /// How many it was; `now` as above.
    static func dropOldSessions(before now: Instant) -> Self {
        Statement(PackageResources.drop_old_sessions_sql, [.timestamp(now.microseconds)]) {
            row throws(PostgresError) in
            try row.int8(0)
        }
    }
}

extension ProjectionBatch {
    /// What puts the batch into a read model, in order, in one transaction.
    ///
    /// `isLive`: into the one in service, if it still is.
    func statements(
        of projection: String,
        on topic: String,
        cluster: String,
        isLive: Bool = true
    ) -> [Statement<Void>] {
        var statements: [Statement<Void>] = []
        if isLive { statements.append(.hold(projection, progress.generation)) }
        if !rows.isEmpty { statements.append(.add(rows, of: progress.log)) }
        let patches = sessions
        if patches.contains(where: { $0.opening != nil }) { statements.append(.open(patches)) }
        if patches.contains(where: { $0.opening == nil }) { statements.append(.change(patches)) }
        if !blocked.isEmpty { statements.append(.block(blocked, in: projection)) }
        if !released.isEmpty { statements.append(.release(released, in: projection)) }
        statements.append(.move(projection, topic, cluster: cluster, to: progress))
        return statements
    }
}
