/// The published order, kept by the active relay; every change names its `relayEpoch`.
package protocol PublishedLedger: Sendable {
    /// Keeps the numbers of published rows and moves the cursor, in one transaction, with the
    /// offset behind the last record that Kafka has acknowledged of each partition.
    ///
    /// - Throws: `.fenced` when another relay holds the lead; nothing is kept then.
    func record(
        _ rows: [NumberedRow],
        cursor: RelayCursor,
        acknowledged: [Int32: Int64],
        by relayEpoch: Int64
    ) async throws(EventLogError)

    /// Notes that our topic has everything up to the cursor on this cluster, and up to where Kafka
    /// has acknowledged it; nil: on none.
    func adopt(
        cluster: String?,
        acknowledged: [Int32: Int64],
        by relayEpoch: Int64
    ) async throws(EventLogError)

    /// Published rows again, by number, in `range`, of at most `LogRow.batchMax` numbers.
    func published(in range: Range<Int64>) async throws(EventLogError) -> PublishedPage
}
