package import Domain

/// The ends of the log that leave more to record, in its order: of users, browsers' sessions and
/// apps' sessions.
package protocol EndingLog: Sendable {
    /// Hands `body` the next ends that are some seconds old, one after the other, while no other
    /// node goes through them.
    ///
    /// Those for which `body` returned do not come again; the one for which it threw does. Now and
    /// then one comes twice: to a node that was slower than its lease, or died.
    ///
    /// - Returns: how many were gone through; 0: there is none, or another node has them.
    /// - Throws: what `body` threw, or that the log did not answer.
    func eachDue(
        by deadline: Deadline,
        _ body: (RecordedEnding) async throws(StoreError) -> Void
    ) async throws(StoreError) -> Int
}
