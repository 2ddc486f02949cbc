internal import Postgres
internal import Runtime

/// How long a step waits for a lock against everybody.
///
/// Whoever comes after it waits behind it, though they could go on beside whoever holds the lock:
/// so it waits briefly, and rests in between.
package struct LockPatience: Sendable {
    /// For one lock; longer than any statement of ours holds one.
    package var lockMilliseconds = 3000
    /// Ten: over a minute in all, as a report may take.
    package var attemptsMax = 10
    package var rest = Duration.seconds(5)

    /// Takes what is usual.
    package init() {}

    /// For one transaction; a step may say otherwise for itself.
    var limit: String { "SET LOCAL lock_timeout = \(lockMilliseconds);\n" }

    /// Whoever is still waited for after it holds the lock for long.
    var lookPause: Duration { .milliseconds(lockMilliseconds / 3) }

    /// Runs a transaction that may lock tables against everybody: it waits briefly, lets those pass
    /// who came behind it, and begins again, as long as `isForLocks` says so.
    ///
    /// - Throws: what `blocked` makes of those who held a lock to the end, and of the last failure.
    func yielding<Value, Failure: Error>(
        on connection: Connection,
        _ settings: ConnectionSettings,
        _ loop: Loop,
        isForLocks: (Failure) -> Bool,
        blocked: ([LockHolder], Failure) -> Failure,
        _ transaction: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let watch = LockWatch(of: connection.serverProcess, on: settings, loop: loop)
        var attempt = 1
        while true {
            let failure: Failure
            do throws(Failure) {
                async let _ = watch.run(every: lookPause)
                return try await transaction()
            } catch { failure = error }
            guard isForLocks(failure) else { throw failure }
            let next = MonotonicInstant.now().advanced(by: rest)
            guard attempt < attemptsMax, (try? await loop.sleep(until: next)) != nil else {
                throw blocked(watch.holders, failure)
            }
            attempt += 1
        }
    }
}
