internal import CKafka

/// Why Kafka did not do what was asked, sorted by what helps.
package enum KafkaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The settings are wrong; the text names the setting, or the file and what is wrong with it.
    case configuration(String)
    /// Brokers are away, slow or electing a leader.
    case unavailable(KafkaCode)
    /// This client is finished: its guarantees cannot be kept any more.
    case fatal(KafkaCode)
    /// The offset asked for is not in the partition: what stood there was deleted.
    case offsetOutOfRange(partition: Int32)
    /// No such topic, or no such partition of it.
    case unknownTopic
    /// The topic is there already.
    case topicExists
    /// A cluster without this kind of request, such as the development broker.
    case unsupported
    /// The broker said no, and will again: rights, size, content.
    case refused(KafkaCode)
    /// The client was closed while the call was waiting.
    case closed

    /// Whether the same call may succeed later although nobody changes the cluster: after `.fatal`
    /// and `.closed` on a new client alone, starting from what is durably known.
    package var mayPass: Bool {
        switch self {
        case .unavailable, .fatal, .closed: true
        case .configuration, .offsetOutOfRange, .unknownTopic, .topicExists, .unsupported,
            .refused:
            false
        }
    }

    /// One line in words, with librdkafka's name where there is one.
    package var description: String {
        switch self {
        case .configuration(let text): "the settings cannot be used: \(text)"
        case .unavailable(let code): "no broker can do it now (\(code))"
        case .fatal(let code): "this client has to be made anew (\(code))"
        case .offsetOutOfRange(let partition):
            "what was asked for is no longer in partition \(partition)"
        case .unknownTopic: "there is no such topic or partition"
        case .topicExists: "the topic is there already"
        case .unsupported: "the cluster does not know this request"
        case .refused(let code): "the broker refuses it (\(code))"
        case .closed: "the client was closed"
        }
    }

    /// Sorts a code that librdkafka gave, for `partition` where it names one.
    package init(_ code: KafkaCode, partition: Int32 = -1) {
        self.init(rd_kafka_resp_err_t(rawValue: code.number), partition: partition)
    }

    init(_ code: rd_kafka_resp_err_t, partition: Int32 = -1) {
        self =
            switch code {
            case RD_KAFKA_RESP_ERR__FATAL, RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE,
                RD_KAFKA_RESP_ERR__FENCED, RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER,
                RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID,
                RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH,
                // A message taken out of the queue: whatever follows it would leave a hole.
                RD_KAFKA_RESP_ERR__PURGE_QUEUE, RD_KAFKA_RESP_ERR__PURGE_INFLIGHT:
                .fatal(KafkaCode(code))
            case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
                .offsetOutOfRange(partition: partition)
            case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
                RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
                .unknownTopic
            case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS: .topicExists
            case RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE, RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION:
                .unsupported
            case RD_KAFKA_RESP_ERR__DESTROY: .closed
            case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN,
                RD_KAFKA_RESP_ERR__RESOLVE, RD_KAFKA_RESP_ERR__TIMED_OUT,
                RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE,
                RD_KAFKA_RESP_ERR__QUEUE_FULL, RD_KAFKA_RESP_ERR__WAIT_COORD,
                RD_KAFKA_RESP_ERR__NODE_UPDATE,
                RD_KAFKA_RESP_ERR__RETRY, RD_KAFKA_RESP_ERR__WAIT_CACHE,
                RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
                RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE,
                RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR, RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE,
                RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION,
                RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
                RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
                RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
                RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND,
                RD_KAFKA_RESP_ERR_NOT_CONTROLLER, RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH,
                RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
                .unavailable(KafkaCode(code))
            default: .refused(KafkaCode(code))
            }
    }
}
