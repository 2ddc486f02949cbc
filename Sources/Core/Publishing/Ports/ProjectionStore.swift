package import Domain

/// The read model of revocations as its one writer sees it, and the log behind it.
package protocol ProjectionStore: Sendable {
    /// Takes the lead, if nobody has it. It belongs to a database session: both end together.
    func lead() async throws(ProjectionTrouble) -> Bool

    /// Shows that the holder of the lead lives: its session is not silent.
    func showLife() async throws(ProjectionTrouble)

    /// Ends the session of a holder that has been silent for `silence`; true when it did.
    func deposeHolder(silentFor silence: Duration) async throws(ProjectionTrouble) -> Bool

    /// Gives the lead back.
    func resign() async

    /// Where the model stands.
    func position() async throws(ProjectionTrouble) -> ProjectionPosition

    /// The last versions applied of these sessions; absent for one without a row.
    func versions(of sessions: [SessionID]) async throws(ProjectionTrouble) -> [SessionID: Int32]

    /// Versions of a stream after `version` up to `last`, or with `.max` those that are numbered.
    func history(
        of stream: StreamID,
        after version: Int32,
        upTo last: Int32
    ) async throws(ProjectionTrouble) -> StreamHistory

    /// The stream of a number of the log; nil when PostgreSQL has none.
    func stream(at index: Int64) async throws(ProjectionTrouble) -> StreamID?

    /// What was published after number `index`, in order, and the last number looked at; nil when
    /// there is nothing yet.
    func published(after index: Int64) async throws(ProjectionTrouble) -> PublishedRange?

    /// Applies a batch and moves the position, in one transaction; its offsets, if any, are on
    /// `cluster`.
    func apply(_ batch: ProjectionBatch, onCluster cluster: String) async throws(ProjectionTrouble)

    /// Revocations that are not on Kafka yet, oldest first, at most `RevocationRecord.batchMax`.
    func outbox() async throws(ProjectionTrouble) -> [RevocationRecord]

    /// Puts revocations into the outbox that may be on Kafka no more: some of those whose keys
    /// follow `key`, in the order of the keys. When there are none it is kept that the outbox lacks
    /// nothing for our topic on `cluster`, of which nothing has been acknowledged yet.
    ///
    /// - Returns: the last of these keys; nil when there were none.
    /// - Throws: `.superseded` when another model is in place.
    func queueAgain(
        after key: String,
        in generation: Int32,
        forCluster cluster: String
    ) async throws(ProjectionTrouble) -> String?

    /// Takes what is on Kafka from the outbox of the model it was read from, and keeps the offset
    /// behind the last record that was acknowledged, of each partition.
    ///
    /// - Throws: `.superseded` when another is in place: that may have it otherwise.
    func published(
        _ records: [RevocationRecord],
        in generation: Int32,
        acknowledged: [Int32: Int64]
    ) async throws(ProjectionTrouble)

    /// Forgets revocations whose tokens have all expired, but for those to be buried, and sessions
    /// whose events are gone; a bounded number of each.
    ///
    /// - Throws: `.unavailable` also when only this cannot be done now, and the lead is kept.
    func dropOld() async throws(ProjectionTrouble)

    /// Keys of such whose subject is erased: their records leave Kafka before they are forgotten
    /// here; at most `RevocationRecord.batchMax`.
    func toBury() async throws(ProjectionTrouble) -> [String]

    /// Forgets what was buried.
    func buried(_ keys: [String]) async throws(ProjectionTrouble)

    /// The number of a project; nil for one that is not known here.
    func number(of project: ProjectID) -> ProjectNumber?

    /// Learns of new projects.
    func refreshProjects() async throws(ProjectionTrouble)
}
