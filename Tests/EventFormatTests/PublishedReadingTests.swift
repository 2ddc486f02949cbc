import Domain
import EventFormat
import TestSupport
import Testing

@Suite("Reading the published form") struct PublishedReadingTests {
    static let number = Sample.number(2)

    static func record(_ event: DomainEvent) throws(FormatError) -> PublishedRecord {
        try PublishedForm.record(of: StoredSamples.row(event), at: StoredSamples.place)
    }

    static func read(_ record: PublishedRecord) throws(FormatError) -> PublishedEvent {
        try PublishedForm.read(record) { $0 == StoredSamples.place.projectName ? number : nil }
    }

    @Test("what is published again is the same", arguments: StoredSamples.all)
    func again(_ event: DomainEvent) throws {
        let record = try Self.record(event)
        let read = try Self.read(record)
        #expect(read.log == StoredSamples.place.log)
        #expect(read.hash == StoredSamples.place.hash)
        #expect(read.event.logIndex == 1234)
        #expect(read.event.project == Self.number)
        #expect(read.event.occurredAt == StoredSamples.columns.occurredAt)
        #expect(read.event.subject == StoredSamples.columns.subject)
        #expect(read.event.session == StoredSamples.columns.session)
        #expect(try Self.record(read.event.body) == record)
        if case .loginID = event {
            #expect(read.event.stream == StreamID(high: 0, low: 0))
            #expect(read.event.version == 0)
        } else {
            #expect(read.event.stream == Sample.stream(0xB1))
            #expect(read.event.version == 5)
        }
    }

    @Test("what was kept back is blank") func blanks() throws {
        let read = try Self.read(try Self.record(StoredSamples.grants[3]))
        guard case .offlineGrant(.refreshed(let refreshed)) = read.event.body else {
            Issue.record("not a refresh")
            return
        }
        #expect(refreshed.secret == Sample.digest(0))
        #expect(refreshed.token == Sample.token(0xF4))
    }

    @Test(
        "a header that is not as written is refused",
        arguments: [
            ("ce_source", "urn:other:log:01900000-0000-7000-8000-0000000000a7"),
            ("ce_source", "urn:chancery:log:1"), ("ce_sequence", "1234"),
            ("ce_sequence", "99999999999999999999"), ("ce_sequence", "0000000000000000+234"),
            ("ce_streamversion", "2147483648"), ("ce_streamversion", ""), ("ce_stream", "b1"),
            ("ce_time", "2026-11-21T03:47:34.473Z"), ("ce_time", "2026-02-30T03:47:34.473123Z"),
            ("ce_time", "2026-13-21T03:47:34.473123Z"), ("ce_time", "2026-11-21T24:47:34.473123Z"),
            ("ce_time", "2026-11-21 03:47:34.473123Z"), ("ce_time", "2026-11-21T03:47:34.47312+Z"),
            ("ce_subject", "a1"), ("ce_session", "A2"), ("ce_project", "other"),
            ("ce_project", "No"), ("ce_eventhash", "a8"),
        ]
    )
    func invalidHeader(_ name: String, _ value: String) throws {
        var record = try Self.record(.offlineGrant(.revoked(.logout)))
        let index = try #require(record.headers.list.firstIndex { $0.name == name })
        record.headers.list[index].value = Array(value.utf8)
        #expect(throws: FormatError.invalid(name)) { try Self.read(record) }
    }

    @Test(
        "a header that is not there is missed",
        arguments: [
            "ce_source", "ce_sequence", "ce_streamversion", "ce_stream", "ce_time", "ce_project",
            "ce_eventhash", "ce_type",
        ]
    )
    func missingHeader(_ name: String) throws {
        var record = try Self.record(.offlineGrant(.revoked(.logout)))
        record.headers.list.removeAll { $0.name == name }
        #expect(throws: FormatError.missing(name)) { try Self.read(record) }
    }

    @Test(
        "a type it does not know stops the reader",
        arguments: [
            "chancery.offline-grant.revoked.v2", "offline-grant.revoked.v1", "chancery.", "",
            "chancery.log.watermark.v1", "chancery.\u{301}offline-grant.revoked.v1",
        ]
    )
    func unknownName(_ name: String) throws {
        var record = try Self.record(.offlineGrant(.revoked(.logout)))
        let index = try #require(record.headers.list.firstIndex { $0.name == "ce_type" })
        record.headers.list[index].value = Array(name.utf8)
        #expect(throws: FormatError.unknownName(name)) { try Self.read(record) }
    }

    @Test("a value that is not as written is refused", arguments: ["", "null", "[]", "{}"])
    func invalidValue(_ value: String) throws {
        var record = try Self.record(.offlineGrant(.revoked(.logout)))
        record.value = Array(value.utf8)
        #expect(throws: FormatError.self) { try Self.read(record) }
    }

    @Test("times are read as they are written") func times() {
        for microseconds: Int64 in [0, -1, 951_782_400_000_001, 253_402_300_799_999_999] {
            let instant = Instant(microseconds: microseconds)
            #expect(RFC3339.read(RFC3339.text(instant).span) == instant)
        }
    }
}
