internal import Postgres
internal import Runtime

/// Tells when PostgreSQL is not the one it was: another server, or the same one started anew.
///
/// A standby that took over without being synchronous may lack events that were acknowledged, so
/// what was remembered of the log before is no longer a shorter way to the present. The server
/// before may answer on for a while: no connection stays at it, or what it says would be remembered
/// as the new one's.
final class ServerWatch: Sendable {
    /// A keeper, and when the server of its newest connection was started.
    private struct Place {
        weak var keeper: ConnectionKeeper?
        let loop: Loop
        var startedAt: Int64?
    }

    private struct State {
        var startedAt: Int64?
        var places: [Place] = []
        var actions: [@Sendable () -> Void] = []
    }

    private static let answerMax = Duration.seconds(3)
    private let state = Guarded(State())

    /// Calls `action` on the loop of the connection that found out, before anybody may use it.
    func onChange(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.actions.append(action) }
    }

    /// A keeper whose connections all stand at one server with those of the others.
    func keeper(_ settings: ConnectionSettings, on loop: Loop) -> ConnectionKeeper {
        let place = state.withLock { state in
            state.places.append(Place(keeper: nil, loop: loop))
            return state.places.count - 1
        }
        let keeper = ConnectionKeeper(settings, on: loop) {
            [self] connection throws(PostgresError) in
            try await check(connection, at: place)
        }
        state.withLock { $0.places[place].keeper = keeper }
        return keeper
    }

    /// Asks the server of a new connection who it is; at another one all others let go first.
    private func check(_ connection: Connection, at place: Int) async throws(PostgresError) {
        let deadline = MonotonicInstant.now().advanced(by: Self.answerMax)
        let found = try await connection.query(.serverStart, deadline: deadline).first
        let (isOther, elsewhere, actions) = state.withLock { state in
            let isOther = state.startedAt != nil && state.startedAt != found
            state.startedAt = found
            state.places[place].startedAt = found
            let elsewhere = state.places.filter { $0.startedAt != nil && $0.startedAt != found }
            return (isOther, elsewhere, state.actions)
        }
        guard isOther else { return }
        for place in elsewhere { await Self.renew(place) }
        for action in actions { action() }
    }

    private static func renew(_ place: Place) async {
        guard let keeper = place.keeper else { return }
        await place.loop.park { (done: Resumption<Void>) in
            place.loop.post {
                keeper.renew()
                done.resume(returning: ())
            }
        }
    }
}

extension Statement where Row == Int64 {
    fileprivate static var serverStart: Self {
        Statement(PackageResources.server_start_sql) { row throws(PostgresError) in
            try row.int8(0)
        }
    }
}
