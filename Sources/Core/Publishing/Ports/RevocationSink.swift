/// `chancery.revocations` as its one writer sees it.
package protocol RevocationSink: Sendable {
    /// Which cluster is reached; over a new connection when there is none, or it was lost.
    ///
    /// What is published from then on goes there, or fails. To be asked before each publication.
    func clusterID() async throws(ProjectionTrouble) -> String

    /// Gives up the connection: the next question goes to whoever answers then.
    func leave() async

    /// Publishes revocations under their keys, and waits until every replica has them.
    func publish(_ records: [RevocationRecord]) async throws(ProjectionTrouble)

    /// Takes the records of keys away (null values), and waits until every replica knows.
    func bury(_ keys: [String]) async throws(ProjectionTrouble)

    /// Publishes a watermark to every partition.
    func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble)
}
