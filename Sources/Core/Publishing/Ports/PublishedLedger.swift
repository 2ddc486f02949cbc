/// The published order, kept by the active relay; every change names its `relayEpoch`.
package protocol PublishedLedger: Sendable {
    /// Keeps the numbers of published rows and moves the cursor, in one transaction.
    ///
    /// - Throws: `.fenced` when another relay holds the lead; nothing is kept then.
    func record(
        _ rows: [NumberedRow],
        cursor: RelayCursor,
        by relayEpoch: Int64
    ) async throws(EventLogError)

    /// Notes that everything up to the cursor is on this cluster; nil: on none.
    func adopt(cluster: String?, by relayEpoch: Int64) async throws(EventLogError)

    /// Published rows again, by number, in `range`, of at most `LogRow.batchMax` numbers.
    func published(in range: Range<Int64>) async throws(EventLogError) -> PublishedPage
}
