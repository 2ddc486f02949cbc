package import Domain

/// The log as the active relay reads it.
package protocol EventLog: Sendable {
    /// What is open now; a reading made before `rows` is a lower bound of what that sees.
    func fence() async throws(EventLogError) -> Fence

    /// The next rows of the epoch of `place`, in order, at most `LogRow.batchMax`.
    ///
    /// With `belowFence`, only rows that no open transaction can still come before.
    func rows(
        after place: LogPosition,
        belowFence: Bool
    ) async throws(EventLogError) -> [LogRow]

    /// The name of a project; nil for one that the log does not know.
    func projectName(of project: ProjectNumber) async throws(EventLogError) -> ProjectID?

    /// Returns when somebody says that there is something new, at the latest after `time`.
    func news(within time: Duration) async
}
