internal import CKafka
import Runtime

/// Calls that block up to their timeout, in ms: never on a loop.
extension Client {
    /// Asks a broker for a topic, or for none when nil (answering 0).
    func partitionCount(of topic: String?, within timeout: Int32) throws(KafkaError) -> Int32 {
        let handle = topic.map { TopicHandle($0, of: self) }
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let answer = withExtendedLifetime(handle) {
            unsafe rd_kafka_metadata(pointer, 0, handle?.pointer, &metadata, timeout)
        }
        guard answer == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata = unsafe metadata else {
            throw KafkaError(answer)
        }
        defer { unsafe rd_kafka_metadata_destroy(metadata) }
        guard topic != nil, let found = unsafe metadata.pointee.topics else { return 0 }
        guard unsafe metadata.pointee.topic_cnt == 1 else { throw .unknownTopic }
        let code = unsafe found.pointee.err
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(code) }
        return unsafe found.pointee.partition_cnt
    }

    /// The id in the last metadata answer of any broker.
    func lastClusterID(within timeout: Int32) throws(KafkaError) -> String {
        guard let text = unsafe rd_kafka_clusterid(pointer, timeout) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT)
        }
        defer { unsafe rd_kafka_mem_free(pointer, text) }
        return unsafe String(cString: text)
    }

    /// Asks the leaders of all partitions at once for one end of each.
    ///
    /// Not by `rd_kafka_query_watermark_offsets`: that one waits for its answer however long it
    /// takes, whatever time it is given (decision 0207).
    func offsets(
        of end: PartitionEnd,
        _ topic: String,
        partitions: Int32,
        until limit: MonotonicInstant
    ) throws(KafkaError) -> [Int32: Int64] {
        guard let list = unsafe rd_kafka_topic_partition_list_new(partitions) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG)
        }
        defer { unsafe rd_kafka_topic_partition_list_destroy(list) }
        for partition in 0..<partitions {
            let place = unsafe rd_kafka_topic_partition_list_add(list, topic, partition)
            unsafe place?.pointee.offset = end.question
        }
        let left = limit.since(.now()).clampedNanoseconds / 1_000_000
        let answer = unsafe rd_kafka_offsets_for_times(pointer, list, Int32(clamping: left))
        guard answer == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(answer) }
        var offsets: [Int32: Int64] = [:]
        for index in 0..<Int(unsafe list.pointee.cnt) {
            let place = unsafe list.pointee.elems[index]
            guard unsafe place.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                throw unsafe KafkaError(place.err, partition: place.partition)
            }
            // What a leader left out of its answer keeps the question.
            guard unsafe place.offset >= 0 else { throw .unavailable(.timedOut) }
            unsafe offsets[place.partition] = place.offset
        }
        return offsets
    }

    /// Asks the controller to create a topic.
    func create(_ topic: TopicSpecification, within timeout: Int32) throws(KafkaError) {
        var reason = [CChar](repeating: 0, count: 512)
        let wanted = unsafe rd_kafka_NewTopic_new(
            topic.name,
            topic.partitions,
            topic.replicationFactor,
            &reason,
            reason.count
        )
        guard unsafe wanted != nil else { throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG) }
        defer { unsafe rd_kafka_NewTopic_destroy(wanted) }
        for (name, value) in topic.settings {
            unsafe rd_kafka_NewTopic_set_config(wanted, name, value)
        }
        let options = unsafe rd_kafka_AdminOptions_new(pointer, RD_KAFKA_ADMIN_OP_CREATETOPICS)
        defer { unsafe rd_kafka_AdminOptions_destroy(options) }
        unsafe rd_kafka_AdminOptions_set_request_timeout(options, timeout, &reason, reason.count)
        let answers = unsafe rd_kafka_queue_new(pointer)
        defer { unsafe rd_kafka_queue_destroy(answers) }
        var list = unsafe [wanted]
        unsafe rd_kafka_CreateTopics(pointer, &list, 1, options, answers)
        // Longer than the request's own limit: the timeout comes as an event too.
        guard let event = unsafe rd_kafka_queue_poll(answers, timeout + 1000) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT)
        }
        defer { unsafe rd_kafka_event_destroy(event) }
        try outcome(of: event)
    }

    @safe private func outcome(of event: OpaquePointer) throws(KafkaError) {
        let code = unsafe rd_kafka_event_error(event)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(code) }
        var count = 0
        let result = unsafe rd_kafka_event_CreateTopics_result(event)
        let topics = unsafe rd_kafka_CreateTopics_result_topics(result, &count)
        guard count == 1, let topics = unsafe topics else {
            throw KafkaError(RD_KAFKA_RESP_ERR__BAD_MSG)
        }
        let answer = unsafe rd_kafka_topic_result_error(topics[0])
        guard answer == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(answer) }
    }
}
