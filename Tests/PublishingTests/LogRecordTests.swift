import Domain
import EventFormat
import Publishing
import TestSupport
import Testing

@Suite("A record of the log") struct LogRecordTests {
    /// A good record with one header changed; nil takes it away.
    static func headers(_ name: String = "", _ value: String? = nil) -> PublishedRecord {
        var headers = [
            "ce_source": "urn:chancery:log:\(Sample.stream(7))",
            "ce_type": "chancery.offline-grant.revoked.v1",
            "ce_sequence": "00000000000000000042",
            "ce_eventhash": String(repeating: "ab", count: 32),
            "ce_stream": "\(Sample.stream(1))",
            "ce_streamversion": "3",
        ]
        headers[name] = value
        return PublishedRecord(
            key: [],
            headers: PublishedRecord.Headers(
                headers.map { PublishedRecord.Header($0, Array($1.utf8)) }
            ),
            value: Array("{}".utf8)
        )
    }

    @Test("is an event by its headers") func event() throws {
        guard case .event(let place) = LogRecord(Self.headers()) else {
            Issue.record("not an event")
            return
        }
        #expect(place.log == Sample.stream(7))
        #expect(place.index == 42)
        #expect(place.stream == Sample.stream(1))
        #expect(place.version == 3)
        #expect(place.hash == EventHash(digest: Sample.digest(0xAB)))
    }

    @Test("of an address names no stream") func nameless() {
        var anonymous = Self.headers("ce_stream")
        anonymous.headers.list.removeAll { $0.name == "ce_streamversion" }
        let record = LogRecord(anonymous)
        guard case .event(let place) = record else {
            Issue.record("not an event")
            return
        }
        #expect(place.stream == nil)
        #expect(place.version == nil)
    }

    @Test(arguments: [
        ("ce_source", nil), ("ce_source", "urn:other:log:1"), ("ce_source", "urn:chancery:log:x"),
        ("ce_type", nil), ("ce_sequence", nil), ("ce_sequence", "42"),
        ("ce_sequence", "0000000000000000004x"), ("ce_sequence", "99999999999999999999"),
        ("ce_eventhash", nil), ("ce_eventhash", "ab"), ("ce_stream", nil),
        ("ce_streamversion", nil), ("ce_streamversion", "99999999999"),
        ("ce_streamversion", "000000000000000000003"), ("ce_streamversion", ""),
        ("ce_type", "chancery.log.watermark.v1"),
    ])
    func isForeignWhenDamaged(_ name: String, _ value: String?) {
        #expect(LogRecord(Self.headers(name, value)) == .foreign)
    }

    @Test(arguments: [
        "{}", #"{"complete_through_at":1}"#, #"{"complete_through_at":1,"log_index":-2}"#, "[]", "",
    ])
    func watermarkNeedsBothMembers(_ value: String) {
        var record = Self.headers("ce_type", "chancery.log.watermark.v1")
        record.value = Array(value.utf8)
        #expect(LogRecord(record) == .foreign)
    }
}
