package import Domain
package import Issuing
package import Postgres
package import Runtime

/// The connections of a process for look-ups and small writes: one per loop.
///
/// A call takes the connection of the loop it runs on, so nothing crosses threads.
package final class Database: Sendable {
    private let keepers: [(loop: Loop, keeper: ConnectionKeeper)]
    private let connected = Guarded(0)
    let server = ServerWatch()

    /// Makes no connection yet; `start` does.
    package init(_ settings: ConnectionSettings, loops: [Loop]) {
        keepers = loops.map { [server] in ($0, server.keeper(settings, on: $0)) }
    }

    var loops: [Loop] { keepers.map(\.loop) }

    /// Whether every loop has its connection; from any thread.
    package var isConnected: Bool { connected.withLock { $0 == keepers.count } }

    /// Calls `action` when PostgreSQL is another one than before, or was started anew, before a
    /// connection to it may be used.
    package func onAnotherServer(_ action: @escaping @Sendable () -> Void) {
        server.onChange(action)
    }

    /// Begins to connect, on every loop.
    package func start() {
        for (loop, keeper) in keepers {
            loop.post { [connected] in
                keeper.onChange = { isConnected in
                    connected.withLock { $0 += isConnected ? 1 : -1 }
                }
                keeper.start()
            }
        }
    }

    /// Closes all connections.
    package func stop() {
        for (loop, keeper) in keepers { loop.post { keeper.stop() } }
    }

    /// The connection of the loop this runs on.
    ///
    /// - Throws: `.unavailable` outside the loops this was made with.
    package func keeper() throws(StoreError) -> ConnectionKeeper {
        guard let current = Loop.current,
            let found = keepers.first(where: { $0.loop === current })
        else { throw .unavailable }
        return found.keeper
    }

    /// The connection of `loop`; nil for one this was not made with.
    func keeper(of loop: Loop) -> ConnectionKeeper? {
        keepers.first { $0.loop === loop }?.keeper
    }

    /// Reads rows on the connection of this loop; changes nothing.
    ///
    /// - Throws: `.unavailable`, whatever the reason.
    package func query<Row>(
        _ statement: Statement<Row>,
        by deadline: Deadline
    ) async throws(StoreError) -> [Row] {
        let keeper = try keeper()
        do { return try await keeper.query(statement, deadline: MonotonicInstant(deadline)) } catch
        {
            throw .unavailable
        }
    }

    /// Runs one writing statement in a transaction of its own.
    ///
    /// - Throws: `.outcomeUnknown` when it may have been applied, else `.unavailable`.
    @discardableResult
    package func execute<Row>(
        _ statement: Statement<Row>,
        by deadline: Deadline
    ) async throws(StoreError) -> [Row] {
        let keeper = try keeper()
        do {
            return try await keeper.execute(statement, deadline: MonotonicInstant(deadline))
        } catch {
            throw error.isOutcomeUnknown ? .outcomeUnknown : .unavailable
        }
    }
}

extension MonotonicInstant {
    /// The same instant: both count nanoseconds of the monotonic clock.
    init(_ deadline: Deadline) { self.init(nanoseconds: deadline.nanoseconds) }
}
