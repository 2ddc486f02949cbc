/// Makes one relay of a database the active one (Events 9, steps 1 and 2).
package protocol RelayLeadership: Sendable {
    /// Takes the lead, if nobody has it; nil otherwise.
    ///
    /// The lead belongs to a database session: when that ends, so does the lead.
    func lead() async throws(EventLogError) -> RelayTerm?

    /// Ends the session of a holder that has not shown itself for `silence`; true when it did.
    func deposeHolder(silentFor silence: Duration) async throws(EventLogError) -> Bool

    /// Shows that the holder of `relayEpoch` lives.
    ///
    /// - Throws: `.fenced` when another holds the lead.
    func showLife(of relayEpoch: Int64) async throws(EventLogError)

    /// Gives the lead back, if this process has it.
    func resign() async
}
