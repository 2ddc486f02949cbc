internal import CKafka
internal import Runtime

// @unchecked: rd_kafka_t is thread-safe; the pointer is set once.
/// Owns one librdkafka client; the last reference destroys it, on a thread made for that.
///
/// Destroying waits for librdkafka's own threads: a second, and for ever when a topic that was read
/// has vanished from the cluster. Whoever lets go is a loop, with a worker's requests on it. Where
/// the system has no thread for it the client stays until the process ends.
@safe final class Client: @unchecked Sendable {
    enum Kind { case producer, consumer }

    let pointer: OpaquePointer
    private let line: UnsafeMutablePointer<ckafka_line>?

    /// Makes a client that tells the kinds in `events` as events on its main queue.
    ///
    /// `isOneLine`: after it has lost a connection it makes no other.
    ///
    /// - Throws: `.configuration`, also for a `keyFile` that others may read, or that is a link;
    ///   `.unavailable` when the process is out of threads or descriptors, or the disk with the
    ///   key does not answer.
    init(
        _ kind: Kind,
        _ properties: [String: String],
        keyFile: String?,
        events: Int32,
        isOneLine: Bool = false
    ) throws(KafkaError) {
        let key = try keyFile.map(Self.key)
        let configuration = unsafe rd_kafka_conf_new()
        let line = unsafe isOneLine ? ckafka_line_new(configuration) : nil
        // Its log would go to standard error in a form of its own.
        unsafe rd_kafka_conf_set_log_cb(configuration, nil)
        unsafe rd_kafka_conf_set_events(configuration, events)
        var reason = [CChar](repeating: 0, count: 512)
        guard unsafe Self.set(properties, key, in: configuration, &reason) else {
            unsafe rd_kafka_conf_destroy(configuration)
            unsafe ckafka_line_free(line)
            throw .configuration(String(upToNUL: reason))
        }
        let type = kind == .producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER
        let made = unsafe rd_kafka_new(type, configuration, &reason, 512)
        guard let made = unsafe made else {
            unsafe rd_kafka_conf_destroy(configuration)  // Taken only on success.
            unsafe ckafka_line_free(line)
            // Threads and descriptors that are short now.
            let code = rd_kafka_last_error()
            guard code != RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE else {
                throw .unavailable(KafkaCode(code))
            }
            throw .configuration(String(upToNUL: reason))
        }
        unsafe pointer = made
        unsafe self.line = unsafe line
    }

    deinit {
        let address = unsafe UInt(bitPattern: pointer)
        let line = unsafe UInt(bitPattern: line)
        // Without a thread for it the client stays: nobody may wait for its end here.
        _ = SystemThread.detach(named: "kafka-end") {
            guard let pointer = unsafe OpaquePointer(bitPattern: address) else { return }
            unsafe rd_kafka_destroy(pointer)
            // Its threads have closed their sockets by now.
            unsafe ckafka_line_free(UnsafeMutablePointer(bitPattern: line))
        }
    }

    /// Whether a client of one line has lost it: it will not reach a broker again.
    var isCutOff: Bool {
        guard let line = unsafe line else { return false }
        return unsafe ckafka_line_is_lost(line) != 0
    }

    /// The error that ended this client, if one did.
    var fatalError: KafkaError? {
        var reason = [CChar](repeating: 0, count: 512)
        let code = unsafe rd_kafka_fatal_error(pointer, &reason, reason.count)
        return code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : .fatal(KafkaCode(code))
    }
}
