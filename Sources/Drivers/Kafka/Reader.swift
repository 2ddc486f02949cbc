internal import CKafka
package import Runtime

// @unchecked: touched on `loop` alone; each entry checks.
/// Reads partitions of one topic from absolute offsets, without a consumer group.
///
/// Where to go on is the caller's to keep, with what it made of the records. What was fetched and
/// not yet asked for waits in librdkafka, bounded by `ReaderSettings.fetchedAheadKiBMax`.
@safe package final class Reader: @unchecked Sendable {
    private let loop: Loop
    private let client: Client
    private let queue: OpaquePointer
    private let wakeUp: EventDescriptor
    private let signal: LoopSignal
    private var watch: Watch?
    private var failure: KafkaError?

    /// Starts fetching each partition of `offsets` at its offset.
    ///
    /// Absolute offsets only: the symbolic ones cost half a second.
    ///
    /// - Throws: `.configuration`; `.unavailable` when the process is out of descriptors.
    package init(
        _ settings: ReaderSettings,
        from offsets: [Int32: Int64],
        on loop: Loop
    ) throws(KafkaError) {
        loop.assertCurrent()
        self.loop = loop
        signal = LoopSignal(on: loop)
        do { wakeUp = try EventDescriptor() } catch {
            throw .unavailable(KafkaCode(RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE))
        }
        client = try Client(
            .consumer,
            settings.properties,
            keyFile: settings.client.keyFile,
            events: RD_KAFKA_EVENT_ERROR
        )
        unsafe rd_kafka_poll_set_consumer(client.pointer)
        unsafe queue = rd_kafka_queue_get_consumer(client.pointer)
        unsafe ckafka_wake(queue, wakeUp.number)
        watch = loop.watch(wakeUp.number, .readable) { [weak self] _ in
            self?.wakeUp.clear()
            self?.signal.raise()
        }
        assign(offsets, of: settings.topic)
    }

    // Without `close`: the loop may not be here, and must not call a handler of ours any more.
    deinit {
        guard let watch else { return }
        unsafe ckafka_wake(queue, -1)
        unsafe rd_kafka_queue_destroy(queue)
        loop.post { [wakeUp] in
            watch.cancel()
            _ = wakeUp  // Open until then.
        }
    }

    /// The next readings, at most `limit`, as soon as there is one; none at `instant`.
    ///
    /// Within a partition in order. One task asks at a time.
    ///
    /// - Throws: `.offsetOutOfRange`, `.unknownTopic`, `.refused`, `.fatal`: the reader is of no
    ///   more use. Brokers that are away are no error: there is nothing to read.
    package func next(
        atMost limit: Int,
        until instant: MonotonicInstant
    ) async throws(KafkaError) -> [Reading] {
        loop.assertCurrent()
        var readings = take(limit)
        while readings.isEmpty, failure == nil, !Task.isCancelled, MonotonicInstant.now() < instant
        {
            await signal.wait(until: instant)
            readings = take(limit)
        }
        // What was read before the failure goes first.
        if readings.isEmpty, let failure { throw failure }
        return readings
    }

    /// Stops fetching and frees the client.
    ///
    /// Twice is harmless.
    package func close() {
        loop.assertCurrent()
        guard watch != nil else { return }
        watch?.cancel()
        watch = nil
        failure = .closed
        signal.raise()
        unsafe ckafka_wake(queue, -1)
        unsafe rd_kafka_queue_destroy(queue)
    }

    private func assign(_ offsets: [Int32: Int64], of topic: String) {
        let list = unsafe rd_kafka_topic_partition_list_new(Int32(clamping: offsets.count))
        for (partition, offset) in offsets {
            unsafe rd_kafka_topic_partition_list_add(list, topic, partition).pointee.offset = offset
        }
        let answer = unsafe rd_kafka_assign(client.pointer, list)
        unsafe rd_kafka_topic_partition_list_destroy(list)
        if answer != RD_KAFKA_RESP_ERR_NO_ERROR { failure = KafkaError(answer) }
    }

    private func take(_ limit: Int) -> [Reading] {
        var readings: [Reading] = []
        // The rest stays queued; the next call begins with it, so no wake-up is needed for it.
        while failure == nil, readings.count < limit,
            let event = unsafe rd_kafka_queue_poll(queue, 0)
        {
            received(event, into: &readings)
            unsafe rd_kafka_event_destroy(event)
        }
        return readings
    }

    @safe private func received(_ event: OpaquePointer, into readings: inout [Reading]) {
        switch unsafe rd_kafka_event_type(event) {
        case RD_KAFKA_EVENT_FETCH:
            while let message = unsafe rd_kafka_event_message_next(event) {
                let code = unsafe message.pointee.err
                let partition = unsafe message.pointee.partition
                guard code != RD_KAFKA_RESP_ERR_NO_ERROR else {
                    readings.append(.record(ReceivedRecord(copying: message)))
                    continue
                }
                let offset = unsafe message.pointee.offset
                failed(code, partition: partition, offset: offset, into: &readings)
            }
        case RD_KAFKA_EVENT_ERROR:
            let place = unsafe rd_kafka_event_topic_partition(event)
            let partition = unsafe place?.pointee.partition ?? -1
            let offset = unsafe place?.pointee.offset ?? -1
            if let place = unsafe place { unsafe rd_kafka_topic_partition_destroy(place) }
            let code = unsafe rd_kafka_event_error(event)
            failed(code, partition: partition, offset: offset, into: &readings)
        default: break
        }
    }

    private func failed(
        _ code: rd_kafka_resp_err_t,
        partition: Int32,
        offset: Int64,
        into readings: inout [Reading]
    ) {
        guard code != RD_KAFKA_RESP_ERR__PARTITION_EOF else {
            return readings.append(.end(partition: partition, nextOffset: offset))
        }
        // librdkafka asks for the coordinator of the group that it is told, whatever is read.
        // Nothing here uses one, so nobody needs a right to it (decision 0121).
        guard code != RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED else { return }
        let error = KafkaError(code, partition: partition)
        // librdkafka tries again by itself.
        if case .unavailable = error { return }
        failure = failure ?? error
    }
}
