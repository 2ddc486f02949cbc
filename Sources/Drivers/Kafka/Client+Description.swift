internal import CKafka

/// Calls that block up to their timeout, in ms: never on a loop.
extension Client {
    /// Asks for the partitions, their copies, and the settings of a topic.
    func describe(_ topic: String, within timeout: Int32) throws(KafkaError) -> TopicDescription {
        var description = try layout(of: topic, within: timeout)
        description.settings = try settings(of: topic, within: timeout)
        return description
    }

    /// All but the settings.
    private func layout(
        of topic: String,
        within timeout: Int32
    ) throws(KafkaError) -> TopicDescription {
        let handle = TopicHandle(topic, of: self)
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let answer = withExtendedLifetime(handle) {
            unsafe rd_kafka_metadata(pointer, 0, handle.pointer, &metadata, timeout)
        }
        guard answer == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata = unsafe metadata else {
            throw KafkaError(answer)
        }
        defer { unsafe rd_kafka_metadata_destroy(metadata) }
        guard unsafe metadata.pointee.topic_cnt == 1,
            let found = unsafe metadata.pointee.topics
        else { throw .unknownTopic }
        let code = unsafe found.pointee.err
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(code) }
        let count = unsafe found.pointee.partition_cnt
        var copies = Int32.max
        var inSync: [Int32: Int32] = [:]
        for place in 0..<Int(count) {
            guard let partitions = unsafe found.pointee.partitions else { break }
            let partition = unsafe partitions[place]
            copies = min(copies, unsafe partition.replica_cnt)
            // The one that was in sync last stays listed without a leader.
            let isLed = unsafe partition.leader >= 0
            unsafe inSync[partition.id] = isLed ? partition.isr_cnt : 0
        }
        return TopicDescription(
            partitions: count,
            copies: count == 0 ? 0 : copies,
            settings: [:],
            inSync: inSync
        )
    }

    private func settings(
        of topic: String,
        within timeout: Int32
    ) throws(KafkaError) -> [String: String] {
        let wanted = unsafe rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic)
        guard unsafe wanted != nil else { throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG) }
        defer { unsafe rd_kafka_ConfigResource_destroy(wanted) }
        var reason = [CChar](repeating: 0, count: 512)
        let options = unsafe rd_kafka_AdminOptions_new(pointer, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS)
        defer { unsafe rd_kafka_AdminOptions_destroy(options) }
        unsafe rd_kafka_AdminOptions_set_request_timeout(options, timeout, &reason, reason.count)
        let answers = unsafe rd_kafka_queue_new(pointer)
        defer { unsafe rd_kafka_queue_destroy(answers) }
        var list = unsafe [wanted]
        unsafe rd_kafka_DescribeConfigs(pointer, &list, 1, options, answers)
        // Longer than the request's own limit: the timeout comes as an event too.
        guard let event = unsafe rd_kafka_queue_poll(answers, timeout + 1000) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT)
        }
        defer { unsafe rd_kafka_event_destroy(event) }
        return try settings(from: event)
    }

    @safe private func settings(
        from event: OpaquePointer
    ) throws(KafkaError) -> [String: String] {
        let code = unsafe rd_kafka_event_error(event)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(code) }
        var count = 0
        let result = unsafe rd_kafka_event_DescribeConfigs_result(event)
        let resources = unsafe rd_kafka_DescribeConfigs_result_resources(result, &count)
        guard count == 1, let resources = unsafe resources, let resource = unsafe resources[0]
        else { throw KafkaError(RD_KAFKA_RESP_ERR__BAD_MSG) }
        let answer = unsafe rd_kafka_ConfigResource_error(resource)
        guard answer == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(answer) }
        var entryCount = 0
        let entries = unsafe rd_kafka_ConfigResource_configs(resource, &entryCount)
        var settings: [String: String] = [:]
        for place in 0..<entryCount {
            guard let entry = unsafe entries?[place],
                let name = unsafe rd_kafka_ConfigEntry_name(entry),
                let value = unsafe rd_kafka_ConfigEntry_value(entry)
            else { continue }
            unsafe settings[String(cString: name)] = unsafe String(cString: value)
        }
        return settings
    }
}
