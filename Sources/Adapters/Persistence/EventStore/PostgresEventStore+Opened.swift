package import Domain
internal import EventFormat
package import Issuing
internal import Postgres
internal import Runtime

extension PostgresEventStore {
    package func opened(
        for subject: SubjectID,
        kinds: Set<AggregateKind>,
        before: Int64?,
        limit: Int,
        by deadline: Deadline
    ) async throws(StoreError) -> [OpenedStream] {
        let types = StoredType.openings.filter { kinds.contains($0.kind) }.map(\.rawValue)
        let connection = try reader().connection
        do throws(PostgresError) {
            return try await connection.opened(
                for: subject,
                types: types,
                before: before ?? .max,
                limit: limit,
                deadline: MonotonicInstant(deadline)
            )
        } catch { throw .unavailable }
    }

    package func position(
        of stream: StreamID,
        openedFor subject: SubjectID,
        by deadline: Deadline
    ) async throws(StoreError) -> Int64? {
        let connection = try reader().connection
        do throws(PostgresError) {
            return try await connection.position(
                of: stream,
                for: subject,
                deadline: MonotonicInstant(deadline)
            )
        } catch { throw .unavailable }
    }
}
