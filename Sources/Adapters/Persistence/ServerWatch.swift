internal import Postgres
internal import Runtime

/// Tells when PostgreSQL is not the one it was: another server, or the same one started anew.
///
/// A standby that took over without being synchronous may lack events that were acknowledged, so
/// what was remembered of the log before is no longer a shorter way to the present. The server
/// before may answer on for a while: no connection stays at it, or what it says would be remembered
/// as the new one's.
final class ServerWatch: Sendable {
    /// A keeper, and when the server was started that its newest connection stands at.
    private struct Place {
        weak var keeper: ConnectionKeeper?
        let loop: Loop
        var startedAt: Int64?
    }

    private struct State {
        /// Of the server that all that is remembered comes from.
        var startedAt: Int64?
        var places: [Place] = []
        var actions: [@Sendable () -> Void] = []
    }

    private static let answerMax = Duration.seconds(3)
    private let state = Guarded(State())

    /// Calls `action` on the loop of each connection that finds out, before that one may be used.
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

    /// Asks the server of a new connection who it is; at another one all others let go, and all is
    /// forgotten, before it may be used.
    private func check(_ connection: Connection, at place: Int) async throws(PostgresError) {
        let deadline = MonotonicInstant.now().advanced(by: Self.answerMax)
        let answer = try await connection.query(.serverStart, deadline: deadline).first
        guard let found = answer else { throw .unexpectedRow(column: 0) }
        state.withLock { $0.places[place].startedAt = found }
        var hasForgotten = false
        // Again as long as somebody came to another one meanwhile, and remembers what it said.
        while let elsewhere = elsewhere(than: found, from: place, hasForgotten) {
            for other in elsewhere { await renew(other, unlessAt: found) }
            for action in state.withLock(\.actions) { action() }
            hasForgotten = true
        }
    }

    /// Who stands at another server; nil when nobody does and nothing is to be forgotten, or when
    /// the connection of `place` was given up meanwhile.
    private func elsewhere(than found: Int64, from place: Int, _ hasForgotten: Bool) -> [Int]? {
        state.withLock { state in
            guard state.places[place].startedAt == found else { return nil }
            let elsewhere = state.places.indices.filter { index in
                state.places[index].startedAt.map { $0 != found } ?? false
            }
            let remembered = state.startedAt
            guard elsewhere.isEmpty, hasForgotten || remembered == nil || remembered == found
            else { return elsewhere }
            state.startedAt = found
            return nil
        }
    }

    /// Has a keeper connect again, unless it has come over by itself.
    private func renew(_ index: Int, unlessAt found: Int64) async {
        let place = state.withLock { $0.places[index] }
        await place.loop.park { (done: Resumption<Void>) in
            place.loop.post { [self] in
                let isElsewhere = state.withLock { state in
                    guard let startedAt = state.places[index].startedAt, startedAt != found
                    else { return false }
                    state.places[index].startedAt = nil
                    return true
                }
                if isElsewhere { place.keeper?.renew() }
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
