package import Domain

/// `chancery.events` as a projector reads it: every partition, from absolute offsets.
package protocol EventSource: Sendable {
    /// The cluster that answers, and the ends of every partition.
    func ends() async throws(ProjectionTrouble) -> EventSourceEnds

    /// The greatest number of `log` that the ends of the partitions tell of; -1 when there is none.
    ///
    /// Records of other logs, which a topic may still show, do not count.
    func lastIndex(of log: StreamID) async throws(ProjectionTrouble) -> Int64

    /// Starts reading each partition at its offset.
    func start(from offsets: [Int32: Int64], onCluster id: String) async throws(ProjectionTrouble)

    /// The next records, at most `limit`, in the order of each partition; none after `time`.
    func next(
        atMost limit: Int,
        within time: Duration
    ) async throws(ProjectionTrouble) -> [EventSourceRecord]

    /// The cluster that answered last, which may not be the one that is read.
    var currentCluster: String? { get }

    /// Stops reading.
    func stop() async
}
