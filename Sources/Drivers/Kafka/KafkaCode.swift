internal import CKafka

/// One of librdkafka's error codes: negative ones are its own, the others the protocol's.
package struct KafkaCode: Hashable, Sendable, CustomStringConvertible {
    /// The number, as in `rd_kafka_resp_err_t`.
    package let number: Int32

    /// Takes a number that librdkafka gave.
    package init(number: Int32) { self.number = number }

    init(_ code: rd_kafka_resp_err_t) { number = code.rawValue }

    /// The code's name, such as `_TRANSPORT` or `NOT_LEADER_FOR_PARTITION`.
    package var description: String {
        unsafe String(cString: rd_kafka_err2name(rd_kafka_resp_err_t(rawValue: number)))
    }
}

extension KafkaCode {
    /// Nobody answered in time.
    package static var timedOut: Self { Self(RD_KAFKA_RESP_ERR__TIMED_OUT) }
}
