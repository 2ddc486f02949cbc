package import EventFormat

/// Kafka as the relay sees it: one topic, one producer.
///
/// A question is answered, or has failed, before `Relay.silenceMax` has passed: whoever stands by
/// takes a longer silence for the end of the one that asks.
package protocol EventPublisher: Sendable {
    /// Which cluster answers now: what is submitted from then on goes there, or breaks.
    ///
    /// To be asked before the first batch, and after `renew`.
    ///
    /// - Throws: `.broken` when the connection is lost that was asked before: whoever answers next
    ///   may lack what was begun over it, and what stood there.
    func clusterID() async throws(PublisherError) -> String

    /// The ends of every partition, on the cluster that was asked for its id.
    ///
    /// - Throws: `.broken` when that cannot be asked any more.
    func ends() async throws(PublisherError) -> TopicEnds

    /// The last `count` records of each partition before these ends, as far as they are there.
    func tail(_ count: Int, before ends: TopicEnds) async throws(PublisherError) -> [LogRecord]

    /// Begins to publish a batch, behind those begun before; `settled` tells its end.
    ///
    /// Records of one key arrive in order, over all batches: where one is broken, nothing of later
    /// ones is published until `renew`.
    func submit(_ records: [PublishedRecord]) async

    /// Begins to publish one record to every partition.
    func announce(_ record: PublishedRecord) async

    /// Waits for the end of the oldest batch that was not told of, at most `time` and perhaps less,
    /// as when there is news in the log; true when every replica has it.
    ///
    /// - Throws: `.broken` when a part of it may be missing; the batches behind it do not count.
    func settled(within time: Duration) async throws(PublisherError) -> Bool

    /// Behind the last event that every replica has, of each partition: of the batches that
    /// `settled` told of since its producer was made, without what was announced.
    var acknowledged: [Int32: Int64] { get async }

    /// Gives up all that was begun, and starts with a new producer, of which no cluster is known.
    func renew() async
}
