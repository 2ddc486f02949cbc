package import Domain
package import Issuing
package import Postgres
package import Runtime

/// The connections of a process for look-ups and small writes: two per loop, one for each.
///
/// A call takes those of the loop it runs on, so nothing crosses threads. Whoever looks never
/// waits for a commit: answers come in the order of the questions, and a standby that is silent
/// holds up every commit.
package final class Database: Sendable {
    private struct Standing {
        var wanted = 0
        var connected = 0
    }

    /// The connections of one loop.
    private struct Place {
        let loop: Loop
        let reader: ConnectionKeeper
        /// Nil where nothing is written.
        let writer: ConnectionKeeper?
        let confirmation: Confirmation
    }

    private let places: [Place]
    private let standing = Guarded(Standing())
    let server = ServerWatch()

    /// Makes no connection yet; `start` does.
    ///
    /// With `isReadOnly` there is one per loop, and `execute` is refused.
    package init(_ settings: ConnectionSettings, loops: [Loop], isReadOnly: Bool = false) {
        places = loops.map { [server] loop in
            let writer = isReadOnly ? nil : server.keeper(settings, on: loop)
            return Place(
                loop: loop,
                reader: server.keeper(settings, on: loop),
                writer: writer,
                confirmation: Confirmation(on: loop) {
                    (deadline: Deadline) async throws(StoreError) in
                    _ = try await Database.execute(.awaitingStandby, over: writer, by: deadline)
                }
            )
        }
        for place in places {
            count(place.reader) { [confirmation = place.confirmation] in
                confirmation.beginConnection()
            }
            if let writer = place.writer { count(writer) }
        }
    }

    var loops: [Loop] { places.map(\.loop) }

    /// Whether every loop has its connections, and every append lane; from any thread.
    package var isConnected: Bool { standing.withLock { $0.connected == $0.wanted } }

    /// Calls `action` when PostgreSQL is another one than before, or was started anew, before a
    /// connection to it may be used.
    package func onAnotherServer(_ action: @escaping @Sendable () -> Void) {
        server.onChange(action)
    }

    /// Begins to connect, on every loop.
    package func start() {
        for place in places {
            place.loop.post {
                place.reader.start()
                place.writer?.start()
            }
        }
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
    ///
    /// `onConnect` is called for each connection, before anybody may use it.
    private func count(
        _ keeper: ConnectionKeeper,
        onConnect: @escaping @Sendable () -> Void = {}
    ) {
        standing.withLock { $0.wanted += 1 }
        keeper.onChange = { [standing] isConnected in
            standing.withLock { $0.connected += isConnected ? 1 : -1 }
            if isConnected { onConnect() }
        }
    }

    /// Closes all connections.
    package func stop() {
        for place in places {
            place.loop.post {
                place.reader.stop()
                place.writer?.stop()
            }
        }
    }

    /// The connection of the loop this runs on that looks, and writes only what no commit waits
    /// for the disk of (`synchronous_commit` off).
    ///
    /// - Throws: `.unavailable` outside the loops this was made with.
    package func keeper() throws(StoreError) -> ConnectionKeeper {
        guard let current = Loop.current, let reader = keeper(of: current) else {
            throw .unavailable
        }
        return reader
    }

    /// That connection of `loop`; nil for one this was not made with.
    func keeper(of loop: Loop) -> ConnectionKeeper? {
        places.first { $0.loop === loop }?.reader
    }

    private func place() throws(StoreError) -> Place {
        guard let current = Loop.current,
            let place = places.first(where: { $0.loop === current })
        else { throw .unavailable }
        return place
    }

    /// Returns once nothing that this loop has looked at can be lost with the server: at once, but
    /// for the first calls over a new connection, which wait for a commit (decision 0234).
    ///
    /// A server that came back after a crash shows commits that no standby has confirmed. One that
    /// is begun after that is confirmed after them.
    ///
    /// - Throws: `.unavailable`, whatever the reason.
    func confirm(by deadline: Deadline) async throws(StoreError) {
        try await place().confirmation.confirm(by: deadline)
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

    /// Runs one writing statement in a transaction of its own, on the connection of this loop that
    /// waits for commits; at most `Connection.pendingMax` wait there.
    ///
    /// - Throws: `.outcomeUnknown` when it may have been applied, else `.unavailable`.
    @discardableResult
    package func execute<Row>(
        _ statement: Statement<Row>,
        by deadline: Deadline
    ) async throws(StoreError) -> [Row] {
        try await Self.execute(statement, over: try place().writer, by: deadline)
    }

    /// `writer`: nil where nothing is written.
    private static func execute<Row>(
        _ statement: Statement<Row>,
        over writer: ConnectionKeeper?,
        by deadline: Deadline
    ) async throws(StoreError) -> [Row] {
        guard let writer else { throw .unavailable }
        do {
            return try await writer.execute(statement, deadline: MonotonicInstant(deadline))
        } catch {
            throw error.isOutcomeUnknown ? .outcomeUnknown : .unavailable
        }
    }
}

extension Statement where Row == Void {
    fileprivate static var awaitingStandby: Self { Statement(PackageResources.await_standby_sql) }
}

extension MonotonicInstant {
    /// The same instant: both count nanoseconds of the monotonic clock.
    init(_ deadline: Deadline) { self.init(nanoseconds: deadline.nanoseconds) }
}
