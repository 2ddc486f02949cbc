import Kafka
import Testing

@Suite("Headers for librdkafka") struct RecordHeadersTests {
    @Test("are a list in one buffer: names with a NUL, values, and where each ends")
    func packing() {
        let list = [Record.Header("a", [1, 2]), Record.Header("bc", []), Record.Header("a", [3])]
        let headers = Record.Headers(list)
        #expect(headers.bytes == [0x61, 0, 1, 2, 0x62, 0x63, 0, 0x61, 0, 3])
        #expect(headers.ends == [2, 4, 7, 7, 9, 10])
        #expect(headers.list == list)
        #expect(Record.Headers(bytes: headers.bytes, ends: headers.ends) == headers)
        let received = ReceivedRecord(
            partition: 0,
            offset: 0,
            key: nil,
            value: nil,
            headers: headers
        )
        #expect(received.header("a") == [3])
        #expect(received.header("bc") == [])
        #expect(received.header("b") == nil)
        #expect(Record.Headers().list == [])
    }

    @Test(
        "that overlap or are cut end the program before librdkafka reads them",
        arguments: [
            [1], [3], [2, 1], [2, 4], [0, 3], [2, 2], [2, 1, 3, 3], [2, 3, 3, 3],
        ] as [[UInt32]]
    )
    func damage(_ ends: [UInt32]) async {
        await #expect(processExitsWith: .failure) { [ends] in
            _ = Record.Headers(bytes: [0x61, 0, 1], ends: ends)
        }
    }
}
