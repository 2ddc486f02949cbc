package import Domain

/// The ends of the log that leave more to record, in its order: of users, browsers' sessions and
/// apps' sessions.
package protocol EndingLog: Sendable {
    /// Hands `body` the next ends that are some seconds old, one after the other, while no other
    /// node goes through them.
    ///
    /// Those up to the first for which `body` is false do not come again. That one does, and those
    /// behind it, which were handed out, too: one that cannot be followed keeps no other from its
    /// turn. Now and then one comes twice: to a node that was slower than its lease, or died.
    ///
    /// - Returns: how many do not come again; 0: there is none, or another node has them.
    /// - Throws: that the log did not answer.
    func eachDue(
        by deadline: Deadline,
        _ body: (RecordedEnding) async -> Bool
    ) async throws(StoreError) -> Int
}
