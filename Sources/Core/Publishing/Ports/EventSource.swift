package import Domain

/// `chancery.events` as a projector reads it: every partition, from absolute offsets.
///
/// A question is answered, or has failed, before half of `Projector.silenceMax` has passed: whoever
/// stands by takes a longer silence for the end of the one that asks.
package protocol EventSource: Sendable {
    /// The cluster that answers, and the ends of every partition.
    func ends() async throws(ProjectionTrouble) -> (cluster: String, topic: TopicEnds)

    /// The last `count` records of each partition before these ends.
    func tail(_ count: Int, before ends: TopicEnds) async throws(ProjectionTrouble) -> [LogRecord]

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

extension EventSource {
    /// The greatest number of `log` that the records before `ends` tell of; -1 when there is none.
    ///
    /// Records of other logs, which a topic may still show, do not count. Two questions at most.
    package func lastIndex(
        of log: StreamID,
        before ends: TopicEnds
    ) async throws(ProjectionTrouble) -> Int64 {
        // The last event may stand before one watermark that does not name it yet.
        var indexes = try await tail(2, before: ends).map { $0.index(of: log) }
        if indexes.contains(nil) {
            // Another log's records stand at an end: ours may stand before them.
            indexes = try await tail(500, before: ends).map { $0.index(of: log) }
        }
        return indexes.compactMap(\.self).max() ?? -1
    }
}
