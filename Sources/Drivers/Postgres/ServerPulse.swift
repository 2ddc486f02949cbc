package import Runtime

/// Tells a server that has stopped answering from a statement that takes long.
///
/// A connection whose answer has been away for `doubtAfter` asks; then a connection of the pulse's
/// own sends a statement that waits for nothing. Without an answer within
/// `beatMax` the server counts as frozen: whoever waits hears so at once, and so do later
/// statements, until it answers again. Nothing is disconnected, so a server that was only held up
/// for a moment costs nothing but the statements of that moment.
package final class ServerPulse: Sendable {
    /// How long an answer may stay away before the server is asked.
    package static let doubtAfter = Duration.milliseconds(200)
    /// How long the server may take to say that it lives.
    package static let beatMax = Duration.milliseconds(500)
    static let lookEvery = Duration.milliseconds(50)
    private static let pause = Duration.milliseconds(100)

    private struct State {
        var isRunning = false
        var isAsking = false
        var isFrozen = false
    }

    private let loop: Loop
    private let keeper: ConnectionKeeper
    private let beat: Statement<Void>
    private let state = Guarded(State())

    /// Connects with `settings` once started; the pulse that they name is not asked.
    ///
    /// `beat` takes no lock and reads no table.
    package init(_ settings: ConnectionSettings, on loop: Loop, beat: Statement<Void>) {
        var settings = settings
        settings.pulse = nil
        self.loop = loop
        self.beat = beat
        keeper = ConnectionKeeper(settings, on: loop)
    }

    /// Whether the server was asked last and has not answered; from any thread.
    package var isFrozen: Bool { state.withLock { $0.isFrozen } }

    /// Begins to connect; from any thread.
    package func start() {
        loop.post { [self] in
            state.withLock { $0.isRunning = true }
            keeper.start()
        }
    }

    /// Closes the connection and asks no more; from any thread.
    package func stop() {
        loop.post { [self] in
            state.replace(with: State())
            keeper.stop()
        }
    }

    /// An answer stays away: asks the server, unless that is under way; from any thread.
    func doubt() {
        let asks = state.withLock { state in
            guard state.isRunning, !state.isAsking else { return false }
            state.isAsking = true
            return true
        }
        guard asks else { return }
        loop.post { [self] in loop.spawn { [self] in await ask() } }
    }

    private func ask() async {
        while state.withLock({ $0.isRunning }) {
            let answers = await beats()
            state.withLock { state in
                state.isFrozen = !answers && state.isRunning
                state.isAsking = state.isFrozen
            }
            if answers { return }
            try? await loop.sleep(until: MonotonicInstant.now().advanced(by: Self.pause))
        }
    }

    private func beats() async -> Bool {
        let deadline = MonotonicInstant.now().advanced(by: Self.beatMax)
        do throws(PostgresError) {
            _ = try await keeper.query(beat, deadline: deadline)
            return true
        } catch {
            return false
        }
    }
}
