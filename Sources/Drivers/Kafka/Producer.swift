internal import CKafka
package import Runtime

// @unchecked: touched on `loop` alone; each entry checks.
/// An idempotent producer, called and resumed on the loop that made it.
///
/// librdkafka's threads run no Swift: they write to a descriptor, and the loop drains the queue.
/// Records of one key arrive in order and without holes, or the batch fails; a client that cannot
/// promise this any more fails every batch with `.fatal`. After a record that failed, nothing of
/// later batches is published: it would follow a hole.
@safe package final class Producer: @unchecked Sendable {
    /// What waits in librdkafka at most; more waits here until reports come.
    package static let queuedMax = 100_000

    private let loop: Loop
    let client: Client
    private let queue: OpaquePointer
    private let wakeUp: EventDescriptor
    private var watch: Watch?
    private var topics: [String: TopicHandle] = [:]
    // The reference that keeps a delivery alive while librdkafka holds its address.
    private var deliveries: [ObjectIdentifier: Delivery] = [:]
    // Batches not wholly taken, oldest first: librdkafka's queue was full.
    private var stalled: [Delivery] = []
    private var failure: KafkaError?

    /// Makes a client; connecting goes on in the background.
    ///
    /// With `endsWithConnection` the first connection that is lost is the end of it: every batch
    /// fails with `.fatal`, and nothing more is sent. So whatever it publishes goes to the cluster
    /// that `Administration(over:)` names, or nowhere; a client that connects again would give the
    /// rest to whichever cluster has the address by then.
    ///
    /// - Throws: `.configuration`; `.unavailable` when the process is out of descriptors.
    package init(
        _ settings: KafkaClientSettings,
        on loop: Loop,
        endsWithConnection: Bool = false
    ) throws(KafkaError) {
        loop.assertCurrent()
        self.loop = loop
        do { wakeUp = try EventDescriptor() } catch {
            throw .unavailable(KafkaCode(RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE))
        }
        client = try Client(
            .producer,
            settings.properties.merging(Self.properties) { $1 },
            keyFile: settings.keyFile,
            events: RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR,
            isOneLine: endsWithConnection
        )
        unsafe queue = rd_kafka_queue_get_main(client.pointer)
        unsafe ckafka_wake(queue, wakeUp.number)
        watch = loop.watch(wakeUp.number, .readable) { [weak self] _ in self?.drain() }
        drain()  // It fires on empty → not empty only; something may be there already.
    }

    private static let properties = [
        "enable.idempotence": "true",
        "acks": "all",
        "enable.gapless.guarantee": "true",
        // A batch is published or the caller gives up; time alone makes no hole.
        "message.timeout.ms": "0",
        // Batches come whole, so waiting for more only delays them.
        "linger.ms": "0",
        // As Java clients place keys; librdkafka's default is another function.
        "partitioner": "murmur2_random",
        "queue.buffering.max.messages": String(queuedMax),
        "queue.buffering.max.kbytes": "65536",
    ]

    // Without `close`: the loop may not be here, and must not call a handler of ours any more.
    deinit {
        guard let watch else { return }
        unsafe ckafka_wake(queue, -1)
        topics = [:]  // Before the client.
        unsafe rd_kafka_queue_destroy(queue)
        loop.post { [wakeUp] in
            watch.cancel()
            _ = wakeUp  // Open until then.
        }
    }

    /// Whether the connection it was to end with is lost.
    package var isCutOff: Bool { client.isCutOff }

    /// Hands a batch over, in order after those handed over before.
    package func submit(_ records: [Record], to topic: String) -> Delivery {
        loop.assertCurrent()
        let delivery = Delivery(records, to: topic, on: loop)
        guard watch != nil else {
            delivery.abandon(.closed)
            return delivery
        }
        failWhenCutOff()
        if let failure {
            delivery.abandon(failure)
            return delivery
        }
        deliveries[ObjectIdentifier(delivery)] = delivery
        stalled.append(delivery)
        produceStalled()
        return delivery
    }

    /// Publishes a batch and waits until every in-sync replica has it, without an end.
    ///
    /// - Throws: the first failure of a record; the others may have been published.
    package func publish(_ records: [Record], to topic: String) async throws(KafkaError) {
        let delivery = submit(records, to: topic)
        while try await !delivery.settled(until: .distantFuture) {
            if Task.isCancelled { throw .closed }
        }
    }

    /// Gives up what is on its way and frees the client.
    ///
    /// Wait for the deliveries first; what is unsettled fails with `.closed`. Twice is harmless.
    package func close() {
        loop.assertCurrent()
        guard watch != nil else { return }
        watch?.cancel()
        watch = nil
        unsafe ckafka_wake(queue, -1)
        unsafe rd_kafka_purge(client.pointer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT)
        fail(.closed)
        topics = [:]
        unsafe rd_kafka_queue_destroy(queue)
    }

    // MARK: - Giving

    private func produceStalled() {
        while let delivery = stalled.first {
            while let index = delivery.progress.next {
                guard take(delivery.records[index], of: delivery) else { return }
            }
            // librdkafka has copies of all that it took.
            delivery.records = []
            if stalled.first === delivery { stalled.removeFirst() }
            finish(delivery)
        }
    }

    /// False when librdkafka has no room: reports make some.
    private func take(_ record: Record, of delivery: Delivery) -> Bool {
        let answer = produce(record, to: handle(of: delivery.topic), delivery)
        switch answer {
        case RD_KAFKA_RESP_ERR_NO_ERROR: delivery.progress.took()
        case RD_KAFKA_RESP_ERR__QUEUE_FULL: return false
        default: fail(client.fatalError ?? KafkaError(answer))
        }
        return true
    }

    private func produce(
        _ record: Record,
        to topic: TopicHandle,
        _ delivery: Delivery
    ) -> rd_kafka_resp_err_t {
        let headers = record.headers.makeHandle()
        let answer = unsafe (record.key ?? []).withUnsafeBytes { key in
            unsafe (record.value ?? []).withUnsafeBytes { value in
                unsafe ckafka_produce(
                    client.pointer,
                    topic.pointer,
                    record.partition ?? RD_KAFKA_PARTITION_UA,
                    record.key == nil ? nil : key.baseAddress,
                    key.count,
                    value.baseAddress,
                    value.count,
                    record.value == nil ? 1 : 0,
                    headers,
                    Unmanaged.passUnretained(delivery).toOpaque()
                )
            }
        }
        // Headers are taken only on success.
        if answer != RD_KAFKA_RESP_ERR_NO_ERROR { unsafe rd_kafka_headers_destroy(headers) }
        return answer
    }

    private func handle(of topic: String) -> TopicHandle {
        if let known = topics[topic] { return known }
        let made = TopicHandle(topic, of: client)
        topics[topic] = made
        return made
    }

    // MARK: - Reports

    private func drain() {
        wakeUp.clear()  // Before draining: the other order loses a wake-up.
        while let event = unsafe rd_kafka_queue_poll(queue, 0) {
            received(event)
            unsafe rd_kafka_event_destroy(event)
        }
        produceStalled()
    }

    @safe private func received(_ event: OpaquePointer) {
        switch unsafe rd_kafka_event_type(event) {
        case RD_KAFKA_EVENT_DR:
            while let message = unsafe rd_kafka_event_message_next(event) {
                guard let address = unsafe message.pointee._private else { continue }
                let delivery = unsafe Unmanaged<Delivery>.fromOpaque(address).takeUnretainedValue()
                let code = unsafe message.pointee.err
                let isPublished = code == RD_KAFKA_RESP_ERR_NO_ERROR
                if isPublished {
                    unsafe delivery.arrived(
                        at: message.pointee.offset,
                        in: message.pointee.partition
                    )
                }
                delivery.progress.report(isPublished ? nil : KafkaError(code))
                if !isPublished { fail(client.fatalError ?? KafkaError(code)) }
                finish(delivery)
            }
        case RD_KAFKA_EVENT_ERROR:
            failWhenCutOff()
            // Others are about connections: librdkafka goes on by itself.
            if unsafe rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR__FATAL {
                fail(client.fatalError ?? KafkaError(RD_KAFKA_RESP_ERR__FATAL))
            }
        default: break
        }
    }

    private func finish(_ delivery: Delivery) {
        guard delivery.progress.outcome != nil else { return }
        delivery.progressed()
        deliveries[ObjectIdentifier(delivery)] = nil
    }

    private func failWhenCutOff() {
        guard failure == nil, client.isCutOff else { return }
        fail(.fatal(KafkaCode(RD_KAFKA_RESP_ERR__TRANSPORT)))
    }

    private func fail(_ error: KafkaError) {
        failure = failure ?? error
        stalled = []
        // They stay referenced: librdkafka may still report on them.
        for delivery in deliveries.values { delivery.abandon(error) }
    }
}
