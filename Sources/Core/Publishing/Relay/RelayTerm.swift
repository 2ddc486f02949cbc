package import Domain

/// What a relay learns when it becomes the active one.
package struct RelayTerm: Hashable, Sendable {
    /// Raised by one for each active relay: fences the writes of the ones before.
    package var relayEpoch: Int64
    /// Where the one before stopped.
    package var cursor: RelayCursor
    /// The Kafka cluster on which our topic, known by its name, has everything up to the cursor;
    /// nil where none has.
    package var clusterID: String?
    /// Behind the last record there that Kafka has acknowledged, of each partition.
    package var acknowledged: [Int32: Int64]
    /// The id of the log itself.
    package var log: StreamID
    /// The epoch new rows are written with.
    package var currentEpoch: Int16

    /// Puts a term together.
    package init(
        relayEpoch: Int64,
        cursor: RelayCursor,
        clusterID: String?,
        acknowledged: [Int32: Int64],
        log: StreamID,
        currentEpoch: Int16
    ) {
        self.relayEpoch = relayEpoch
        self.cursor = cursor
        self.clusterID = clusterID
        self.acknowledged = acknowledged
        self.log = log
        self.currentEpoch = currentEpoch
    }
}
