package import Domain
package import Issuing
package import Postgres
package import Runtime

/// The connections of a process for look-ups and small writes: one per loop.
///
/// A call takes the connection of the loop it runs on, so nothing crosses threads.
package final class Database: Sendable {
    private struct Standing {
        var wanted = 0
        var connected = 0
    }

    private let keepers: [(loop: Loop, keeper: ConnectionKeeper)]
    private let standing = Guarded(Standing())
    let server = ServerWatch()

    /// Makes no connection yet; `start` does.
    package init(_ settings: ConnectionSettings, loops: [Loop]) {
        keepers = loops.map { [server] in ($0, server.keeper(settings, on: $0)) }
        for (_, keeper) in keepers { count(keeper) }
    }

    var loops: [Loop] { keepers.map(\.loop) }

    /// Whether every loop has its connection, and every append lane; from any thread.
    package var isConnected: Bool { standing.withLock { $0.connected == $0.wanted } }

    /// Calls `action` when PostgreSQL is another one than before, or was started anew, before a
    /// connection to it may be used.
    package func onAnotherServer(_ action: @escaping @Sendable () -> Void) {
        server.onChange(action)
    }

    /// Begins to connect, on every loop.
    package func start() {
        for (loop, keeper) in keepers { loop.post { keeper.start() } }
    }

    /// A connection of an append lane; whoever asks for it starts and stops it.
    ///
    /// Who reads and cannot append refuses every command, so it counts like the others.
    func laneKeeper(_ settings: ConnectionSettings, on loop: Loop) -> ConnectionKeeper {
        let keeper = server.keeper(settings, on: loop)
        count(keeper)
        return keeper
    }

    /// Before it is started: later the keeper is its loop's.
    private func count(_ keeper: ConnectionKeeper) {
        standing.withLock { $0.wanted += 1 }
        keeper.onChange = { [standing] isConnected in
            standing.withLock { $0.connected += isConnected ? 1 : -1 }
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
