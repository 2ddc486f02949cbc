import EventFormat
import Testing

@Suite("Headers of a record in one buffer") struct PublishedRecordHeadersTests {
    private typealias Header = PublishedRecord.Header

    @Test(
        "come out as they went in, in their order",
        arguments: [
            [], [Header("a", [])], [Header("", [1])], [Header("a", [0, 0]), Header("a", [0])],
            [Header("ce_id", Array("7".utf8)), Header("ce_time", []), Header("ce_idx", [7])],
            [Header("long", [UInt8](repeating: 0xFF, count: 70_000)), Header("ä", [1, 2, 3])],
        ]
    )
    func list(_ list: [PublishedRecord.Header]) {
        let headers = PublishedRecord.Headers(list)
        #expect(headers.list == list)
        var added = PublishedRecord.Headers()
        for header in list { added.add(header.name, header.value) }
        #expect(added == headers)
    }

    @Test("are names with a NUL, values, and where each ends: as the driver takes them")
    func packing() {
        let headers = PublishedRecord.Headers([
            Header("a", [1, 2]), Header("bc", []), Header("a", [3]),
        ])
        #expect(headers.bytes == [0x61, 0, 1, 2, 0x62, 0x63, 0, 0x61, 0, 3])
        #expect(headers.ends == [2, 4, 7, 7, 9, 10])
    }

    @Test("are found by their whole name, the first of two") func find() {
        let headers = PublishedRecord.Headers([
            Header("ce_stream", [1]), Header("ce_streamversion", [2]), Header("am", []),
            Header("ce_stream", [3]),
        ])
        #expect(headers["ce_stream"] == [1])
        #expect(headers["ce_streamversion"] == [2])
        #expect(headers["am"] == [])
        for absent in ["", "stream", "ce_", "ce_streamversio", "ce_streamversions", "m", "am\0"] {
            #expect(headers[absent] == nil, "\(absent)")
        }
    }
}
