internal import Postgres
internal import Runtime

/// Tells when PostgreSQL is not the one it was: another server, or the same one started anew.
///
/// A standby that took over without being synchronous may lack events that were acknowledged, so
/// what was remembered of the log before is no longer a shorter way to the present.
final class ServerWatch: Sendable {
    private struct State {
        var startedAt: Int64?
        var actions: [@Sendable () -> Void] = []
    }

    private static let answerMax = Duration.seconds(3)
    private let state = Guarded(State())

    /// Calls `action` on the loop of the connection that found out, before anybody may use it.
    func onChange(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.actions.append(action) }
    }

    /// Asks the server of a new connection who it is.
    func check(_ connection: Connection) async throws(PostgresError) {
        let deadline = MonotonicInstant.now().advanced(by: Self.answerMax)
        let found = try await connection.query(.serverStart, deadline: deadline).first
        let actions = state.withLock { state in
            let isOther = state.startedAt != nil && state.startedAt != found
            state.startedAt = found
            return isOther ? state.actions : []
        }
        for action in actions { action() }
    }
}

extension Statement where Row == Int64 {
    fileprivate static var serverStart: Self {
        Statement(PackageResources.server_start_sql) { row throws(PostgresError) in
            try row.int8(0)
        }
    }
}
