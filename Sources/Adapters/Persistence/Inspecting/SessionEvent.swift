package import Postgres

/// An event of one session as it stands in the log.
package struct SessionEvent: Hashable, Sendable {
    /// The stored type's number.
    package var type: Int16
    /// Its place in its stream, from 1.
    package var version: Int32
    /// In µs since 1970.
    package var occurredAt: Int64
    /// The stream, as the big-endian halves of its id.
    package var streamHigh: UInt64
    package var streamLow: UInt64
}

extension Statement where Row == SessionEvent {
    /// The events that carry a session's id.
    ///
    /// Relies on `events_grant`.
    package static func sessionEvents(_ session: (UInt64, UInt64)) -> Self {
        Statement(PackageResources.session_events_sql, [.uuid(session)]) {
            row throws(PostgresError) in
            let stream = try row.uuid(3)
            return SessionEvent(
                type: try row.int2(0),
                version: try row.int4(1),
                occurredAt: try row.timestamp(2),
                streamHigh: stream.0,
                streamLow: stream.1
            )
        }
    }
}
