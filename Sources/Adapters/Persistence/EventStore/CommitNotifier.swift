internal import Domain
internal import Postgres
internal import Runtime

/// Wakes the relay after commits, on a connection that appends nothing; one call at a time.
///
/// Calls are 2 ms apart at least: a busy relay reads anyway, an idle one is woken at once.
final class CommitNotifier: Sendable {
    private struct State {
        var isBusy = false
        var isWanted = false
    }

    private static let interval = Duration.milliseconds(2)
    private static let callMax = Duration.seconds(3)
    private let database: Database
    private let state = Guarded(State())

    init(_ database: Database) { self.database = database }

    /// Something is committed; called on a loop, returns at once.
    func committed(on loop: Loop) {
        let starts = state.withLock { state in
            guard !state.isBusy else {
                state.isWanted = true
                return false
            }
            state.isBusy = true
            return true
        }
        if starts { loop.spawn { [self] in await run(on: loop) } }
    }

    private func run(on loop: Loop) async {
        repeat {
            let start = MonotonicInstant.now()
            let deadline = start.advanced(by: Self.callMax)
            // Lost is lost: the relay looks every 50 ms.
            if let keeper = try? database.keeper(), keeper.isConnected {
                _ = try? await keeper.execute(
                    Statement<Void>(PackageResources.notify_relay_sql),
                    deadline: deadline
                )
            }
            try? await loop.sleep(until: start.advanced(by: Self.interval))
        } while goesOn()
    }

    private func goesOn() -> Bool {
        state.withLock { state in
            state.isBusy = state.isWanted
            state.isWanted = false
            return state.isBusy
        }
    }
}
