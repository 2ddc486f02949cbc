/// `chancery.events` as a projector reads it: every partition, from absolute offsets.
package protocol EventSource: Sendable {
    /// The cluster that answers, and the ends of every partition.
    func ends() async throws(ProjectionTrouble) -> EventSourceEnds

    /// The greatest number that the last record of any partition tells of; -1 when there is none.
    func lastIndex() async throws(ProjectionTrouble) -> Int64

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
