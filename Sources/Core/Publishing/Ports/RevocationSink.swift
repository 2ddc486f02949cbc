/// `chancery.revocations` as its one writer sees it.
package protocol RevocationSink: Sendable {
    /// Publishes revocations under their keys, and waits until every replica has them.
    func publish(_ records: [RevocationRecord]) async throws(ProjectionTrouble)

    /// Takes the records of keys away (null values), and waits until every replica knows.
    func bury(_ keys: [String]) async throws(ProjectionTrouble)

    /// Publishes a watermark to every partition.
    func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble)
}
