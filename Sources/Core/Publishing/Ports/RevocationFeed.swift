package import Domain

/// The read model of revocations, as the feed reads it.
package protocol RevocationFeed: Sendable {
    /// Revocations of a project that are still relevant, after a place, at most `limit`; none
    /// beyond the frontier, since a later one could get a smaller number.
    ///
    /// Without a place: from the beginning. Nil: the database does not answer, or has no model yet.
    /// Never as it was before the call: whoever asks may have been shown more by another process.
    func page(of project: ProjectNumber, after: FeedPlace?, limit: Int) async -> RevocationPage?

    /// Whether the process is ending: nobody waits any more.
    var isEnding: Bool { get }

    /// Names the present for `news`: taken before a page, nothing is missed between the two.
    var mark: UInt64 { get }

    /// Returns when there may be something that was not there at `mark`, at the latest after
    /// `time`, or when the task is cancelled.
    func news(since mark: UInt64, within time: Duration) async
}
