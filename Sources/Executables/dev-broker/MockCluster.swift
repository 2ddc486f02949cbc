import CKafka
import Runtime

/// One mock broker that listens where it is told.
@safe struct MockCluster {
    enum Failure: Error, CustomStringConvertible {
        case configuration(String)
        case port(UInt16)
        case topic(String, String)

        var description: String {
            switch self {
            case .configuration(let why): "librdkafka refuses its configuration: \(why)"
            case .port(let port):
                "cannot listen on 127.0.0.1:\(port); is another program using the port?"
            case .topic(let name, let why): "cannot create topic \(name): \(why)"
            }
        }
    }

    // Without the first a record is acknowledged after 5 ms instead of 0.1.
    private static let settings = [
        "socket.nagle.disable": "true",
        "log_level": "4",
        "receive.message.max.bytes": "100000000",
    ]

    private let client: OpaquePointer
    private let cluster: OpaquePointer

    init(port: UInt16, topics: [Invocation.Topic]) throws(Failure) {
        unsafe client = try Self.makeClient()
        ckafka_fix_port(port)
        guard let cluster = unsafe rd_kafka_mock_cluster_new(client, 1) else {
            unsafe rd_kafka_destroy(client)
            throw .port(port)
        }
        unsafe self.cluster = cluster
        for topic in topics {
            let answer = unsafe rd_kafka_mock_topic_create(
                cluster,
                topic.name,
                topic.partitions,
                1
            )
            guard answer == RD_KAFKA_RESP_ERR_NO_ERROR else {
                throw .topic(topic.name, unsafe String(cString: rd_kafka_err2str(answer)))
            }
        }
    }

    var address: String { unsafe String(cString: rd_kafka_mock_cluster_bootstraps(cluster)) }

    /// Answers as brokers whose rights name topics alone: a consumer's coordinator is nobody's.
    func refuseGroups() {
        // One for each answer; a client asks twice a second.
        let refusals = [rd_kafka_resp_err_t](
            repeating: RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
            count: 10_000
        )
        unsafe rd_kafka_mock_push_request_errors_array(
            cluster,
            Self.findCoordinator,
            refusals.count,
            refusals
        )
    }

    /// The key of that request (Kafka protocol, "API keys").
    private static let findCoordinator: Int16 = 10

    func close() {
        unsafe rd_kafka_mock_cluster_destroy(cluster)
        unsafe rd_kafka_destroy(client)
    }

    private static func makeClient() throws(Failure) -> OpaquePointer {
        let configuration = unsafe rd_kafka_conf_new()
        var reason = [CChar](repeating: 0, count: 512)
        for (name, value) in settings {
            let answer = unsafe rd_kafka_conf_set(configuration, name, value, &reason, 512)
            guard answer == RD_KAFKA_CONF_OK else { throw .configuration(String(upToNUL: reason)) }
        }
        let made = unsafe rd_kafka_new(RD_KAFKA_PRODUCER, configuration, &reason, 512)
        guard let made = unsafe made else {
            unsafe rd_kafka_conf_destroy(configuration)  // Taken only on success.
            throw .configuration(String(upToNUL: reason))
        }
        return unsafe made
    }
}
