internal import CKafka

/// An end of a partition, as librdkafka is asked for it.
enum PartitionEnd {
    /// That of the oldest record still there.
    case low
    /// That which the next record will get.
    case high

    /// What stands in the place of a time (ListOffsets of the Kafka protocol).
    var question: Int64 {
        switch self {
        case .low: Int64(RD_KAFKA_OFFSET_BEGINNING)
        case .high: Int64(RD_KAFKA_OFFSET_END)
        }
    }
}
