package import Domain

/// The ends of the log that leave more to record, in its order: of users, browsers' sessions and
/// apps' sessions.
package protocol EndingLog: Sendable {
    /// Hands `body` a page of the next ends that are some seconds old, at most
    /// `RecordedEnding.pageMax`, while no other node has them.
    ///
    /// As many of the first as `body` answers do not come again; the others do. Now and then one
    /// comes twice all the same: to a node that was slower than its lease, or died.
    ///
    /// - Returns: how many do not come again; 0: there is none, or another node has them.
    /// - Throws: that the log did not answer, before `body` or after it; then all of them come
    ///   again.
    func nextDue(
        by deadline: Deadline,
        _ body: ([RecordedEnding]) async -> Int
    ) async throws(StoreError) -> Int
}
