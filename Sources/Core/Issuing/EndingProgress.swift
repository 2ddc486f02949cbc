package import Domain

/// How far a process is with the ends that come again, so that its next pass over them goes on
/// there (decision 0198).
package struct EndingProgress: Sendable {
    /// Far longer than other nodes hold the ends, so that the pass after theirs still goes on.
    private static let keptMilliseconds: UInt64 = 600_000

    /// What `FinishEndings.run` goes on after.
    package private(set) var reached: [StreamID: Int32] = [:]
    private var changedAt = Deadline(nanoseconds: 0)
    /// Where that was: at another server it says nothing.
    private var server = 0

    /// Of a process that begins: nothing is done.
    package init() {}

    /// PostgreSQL may be as it was before: what was recorded may be missing.
    package mutating func beginServer() {
        server += 1
        reached = [:]
    }

    /// Where a pass begins: not where one ended long ago, whose ends may not come again.
    package func begin(at now: Deadline) -> EndingProgress {
        var begin = self
        let end = changedAt.nanoseconds + Self.keptMilliseconds * 1_000_000
        if now.nanoseconds >= end { begin.reached = [:] }
        return begin
    }

    /// Whether a pass that began at `begin` is at the server where it began.
    package func isCurrent(since begin: EndingProgress) -> Bool { begin.server == server }

    /// Takes what a pass came to that began at `begin`, unless that was at another server.
    package mutating func keep(
        _ reached: [StreamID: Int32],
        since begin: EndingProgress,
        at now: Deadline
    ) {
        guard isCurrent(since: begin) else { return }
        // A pass that had no turn repeats what it was told: that makes it no younger.
        if reached != begin.reached { changedAt = now }
        self.reached = reached
    }
}
