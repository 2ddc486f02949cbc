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
}
