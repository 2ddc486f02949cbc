/// `chancery.revocations` as its one writer sees it.
package protocol RevocationSink: Sendable {
    /// Where what is published from now on goes, or it fails; over a new connection when there is
    /// none, or it was lost. To be asked before each publication.
    func place() async throws(ProjectionTrouble) -> RevocationPlace

    /// Gives up the connection: the next question goes to whoever answers then.
    func leave() async

    /// Publishes revocations under their keys, and waits until every replica has them.
    ///
    /// - Returns: the offset behind the last of them, of each partition that has one.
    func publish(
        _ records: [RevocationRecord]
    ) async throws(ProjectionTrouble) -> [Int32: Int64]

    /// Takes the records of keys away (null values), and waits until every replica knows.
    func bury(_ keys: [String]) async throws(ProjectionTrouble)

    /// Publishes a watermark to every partition.
    func publish(_ watermark: LogWatermark) async throws(ProjectionTrouble)
}
