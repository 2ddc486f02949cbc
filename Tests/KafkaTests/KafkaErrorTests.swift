import Kafka
import Testing

@Suite("An error code") struct KafkaErrorTests {
    struct Row: Sendable {
        var code: Int32
        var error: KafkaError
        var mayPass: Bool
    }

    @Test(arguments: [
        Row(code: -195, error: .unavailable(KafkaCode(number: -195)), mayPass: true),
        Row(code: -187, error: .unavailable(KafkaCode(number: -187)), mayPass: true),  // all down
        Row(code: 6, error: .unavailable(KafkaCode(number: 6)), mayPass: true),  // not leader
        Row(code: -150, error: .fatal(KafkaCode(number: -150)), mayPass: true),  // _FATAL
        Row(code: -148, error: .fatal(KafkaCode(number: -148)), mayPass: true),  // gapless
        Row(code: -144, error: .fatal(KafkaCode(number: -144)), mayPass: true),  // _FENCED
        Row(code: 45, error: .fatal(KafkaCode(number: 45)), mayPass: true),  // out of order
        Row(code: -140, error: .offsetOutOfRange(partition: 7), mayPass: false),  // reset=error
        Row(code: 1, error: .offsetOutOfRange(partition: 7), mayPass: false),
        Row(code: 3, error: .unknownTopic, mayPass: false),
        Row(code: 36, error: .topicExists, mayPass: false),
        Row(code: -165, error: .unsupported, mayPass: false),
        Row(code: 10, error: .refused(KafkaCode(number: 10)), mayPass: false),  // too large
        Row(code: 29, error: .refused(KafkaCode(number: 29)), mayPass: false),  // not authorised
        Row(code: 9999, error: .refused(KafkaCode(number: 9999)), mayPass: false),  // unheard of
    ])
    func saysWhatHelps(_ row: Row) {
        let error = KafkaError(KafkaCode(number: row.code), partition: 7)
        #expect(error == row.error)
        #expect(error.mayPass == row.mayPass)
    }

    @Test("is told in words, with the library's name") func words() {
        let error = KafkaError(KafkaCode(number: -195))
        #expect("\(error)" == "no broker can do it now (_TRANSPORT)")
    }

    @Test("has the library's name for the log") func name() {
        #expect(KafkaCode(number: -195).description == "_TRANSPORT")
    }
}
