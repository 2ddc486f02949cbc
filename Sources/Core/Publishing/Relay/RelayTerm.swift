package import Domain

/// What a relay learns when it becomes the active one.
package struct RelayTerm: Hashable, Sendable {
    /// Raised by one for each active relay: fences the writes of the ones before.
    package var relayEpoch: Int64
    /// Where the one before stopped.
    package var cursor: RelayCursor
    /// The Kafka cluster everything up to the cursor is on; nil before the first.
    package var clusterID: String?
    /// The id of the log itself.
    package var log: StreamID
    /// The epoch new rows are written with.
    package var currentEpoch: Int16

    /// Puts a term together.
    package init(
        relayEpoch: Int64,
        cursor: RelayCursor,
        clusterID: String?,
        log: StreamID,
        currentEpoch: Int16
    ) {
        self.relayEpoch = relayEpoch
        self.cursor = cursor
        self.clusterID = clusterID
        self.log = log
        self.currentEpoch = currentEpoch
    }
}
