import Kafka
import Testing

@Suite("An error code") struct KafkaErrorTests {
    struct Row: Sendable {
        var code: Int32
        var error: KafkaError
        var remedy: KafkaError.Remedy
    }

    @Test(arguments: [
        Row(code: -195, error: .unavailable(KafkaCode(number: -195)), remedy: .retry),
        Row(code: -187, error: .unavailable(KafkaCode(number: -187)), remedy: .retry),  // all down
        Row(code: 6, error: .unavailable(KafkaCode(number: 6)), remedy: .retry),  // not leader
        Row(code: -150, error: .fatal(KafkaCode(number: -150)), remedy: .renew),  // _FATAL
        Row(code: -148, error: .fatal(KafkaCode(number: -148)), remedy: .renew),  // gapless
        Row(code: -144, error: .fatal(KafkaCode(number: -144)), remedy: .renew),  // _FENCED
        Row(code: 45, error: .fatal(KafkaCode(number: 45)), remedy: .renew),  // out of order
        Row(code: -140, error: .offsetOutOfRange(partition: 7), remedy: .none),  // reset=error
        Row(code: 1, error: .offsetOutOfRange(partition: 7), remedy: .none),
        Row(code: 3, error: .unknownTopic, remedy: .none),
        Row(code: 36, error: .topicExists, remedy: .none),
        Row(code: -165, error: .unsupported, remedy: .none),
        Row(code: 10, error: .refused(KafkaCode(number: 10)), remedy: .none),  // too large
        Row(code: 29, error: .refused(KafkaCode(number: 29)), remedy: .none),  // not authorised
        Row(code: 9999, error: .refused(KafkaCode(number: 9999)), remedy: .none),  // unheard of
    ])
    func saysWhatHelps(_ row: Row) {
        let error = KafkaError(KafkaCode(number: row.code), partition: 7)
        #expect(error == row.error)
        #expect(error.remedy == row.remedy)
    }

    @Test("is told in words, with the library's name") func words() {
        let error = KafkaError(KafkaCode(number: -195))
        #expect("\(error)" == "no broker can do it now (_TRANSPORT)")
    }

    @Test("has the library's name for the log") func name() {
        #expect(KafkaCode(number: -195).description == "_TRANSPORT")
    }
}
