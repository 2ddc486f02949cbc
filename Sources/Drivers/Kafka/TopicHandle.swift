internal import CKafka

/// Owns librdkafka's handle of one topic; must go before its client.
@safe final class TopicHandle {
    let pointer: OpaquePointer?

    init(_ name: String, of client: Client) {
        unsafe pointer = rd_kafka_topic_new(client.pointer, name, nil)
    }

    deinit { if let pointer = unsafe pointer { unsafe rd_kafka_topic_destroy(pointer) } }
}
