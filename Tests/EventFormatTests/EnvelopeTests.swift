import Domain
import EventFormat
import OAuth
import TestSupport
import Testing

@Suite("Envelope") struct EnvelopeTests {
    @Test("metadata is canonical and read back") func metadata() throws {
        let full = StoredSamples.metadata
        #expect((try CanonicalJSON.read(full.encoded())).members?.count == 8)
        #expect(try EventMetadata(full.encoded()) == full)
        let bare = EventMetadata(actor: .system, correlation: Sample.stream(1), node: "n")
        #expect(try EventMetadata(bare.encoded()) == bare)
        #expect(
            bare.encoded()
                == Array(
                    #"{"actor":"system","correlation":"\#(Sample.stream(1))","node":"n"}"#.utf8
                )
        )
    }

    @Test(
        "metadata no writer writes",
        arguments: [
            ("{}", FormatError.missing("actor")),
            (
                #"{"actor":"user","correlation":"\#(Sample.stream(1))","node":"n"}"#,
                .invalid("actor")
            ),
            (#"{"actor":"system","correlation":"1","node":"n"}"#, .invalid("correlation")),
            (#"{"actor":"system","correlation":"\#(Sample.stream(1))"}"#, .missing("node")),
            (
                #"{"actor":"system","correlation":"\#(Sample.stream(1))","node":1}"#,
                .invalid("node")
            ),
        ]
    )
    func noMetadata(_ text: String, _ error: FormatError) {
        #expect(throws: error) { try EventMetadata(Array(text.utf8)) }
    }

    @Test("a member of metadata that a newer version added is passed by") func newMetadata() throws
    {
        let text =
            #"{"actor":"system","correlation":"\#(Sample.stream(1))","more":[1],"node":"n"}"#
        #expect(try EventMetadata(Array(text.utf8)).node == "n")
    }

    @Test(
        "a cause no writer writes",
        arguments: ["", ":01", "1", ":0", ":-1", ":+1", ":1x", ":2147483648", ":"]
    )
    func noCause(_ version: String) {
        let cause = version == "1" ? version : "\(Sample.stream(1))\(version)"
        let text =
            #"{"actor":"system","cause":"\#(cause)","correlation":"\#(Sample.stream(1))","#
            + #""node":"n"}"#
        #expect(throws: FormatError.invalid("cause")) { try EventMetadata(Array(text.utf8)) }
    }

    /// Written out by hand from the formula of Events 6.
    @Test("the hash covers every column, in order, big-endian") func preimage() {
        var row = StoredSamples.row(.subject(.enabled(at: StoredSamples.columns.occurredAt)))
        row.metadata = [0x7B, 0x7D]
        row.actor = nil
        row.columns.client = nil
        let previous = EventHash(digest: Sample.digest(0xEE))
        let expected: [[UInt8]] = [
            Array("chancery-event-1".utf8), [0], [UInt8](repeating: 0xEE, count: 32),
            Sample.stream(0xB1).bytes, [0, 0, 0, 5], [0, 105], [0, 2],
            // 1 795 232 854 473 123 µs
            [0x00, 0x06, 0x60, 0xC1, 0x38, 0x94, 0x79, 0xA3],
            Sample.stream(0xB2).bytes, [UInt8](repeating: 0, count: 16),
            Sample.stream(0xA1).bytes, [UInt8](repeating: 0, count: 16),
            Sample.stream(0xA2).bytes, [0, 0, 0, 2], [0x7B, 0x7D], [0, 0, 0, 2], [0x7B, 0x7D],
        ]
        #expect(HashChain.preimage(of: row, after: previous) == Array(expected.joined()))
        let first = HashChain.preimage(of: row, after: nil)
        #expect(Array(first[17..<49]) == [UInt8](repeating: 0, count: 32))
        #expect(first.count == expected.joined().count)
    }

    @Test("the hash is the given function of that") func hash() {
        let row = StoredSamples.row(.subject(.enabled(at: StoredSamples.columns.occurredAt)))
        var hashed: [UInt8] = []
        let hash = HashChain.hash(of: row, after: nil) { bytes in
            hashed = bytes
            return Sample.digest(9)
        }
        #expect(hash == EventHash(digest: Sample.digest(9)))
        #expect(hashed == HashChain.preimage(of: row, after: nil))
    }

    @Test(
        "times are RFC 3339 with microseconds, or with milliseconds where an API says so",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (951_782_400_000_001, "2000-02-29T00:00:00.000001Z"),
            (1_709_164_800_000_000, "2024-02-29T00:00:00.000000Z"),
            (4_107_542_399_000_000, "2100-02-28T23:59:59.000000Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
            (1_795_232_854_473_123, "2026-11-21T03:47:34.473123Z"),
            (.max, "9999-12-31T23:59:59.999999Z"), (.min, "0000-01-01T00:00:00.000000Z"),
        ] as [(Int64, String)]
    )
    func times(_ microseconds: Int64, _ text: String) {
        let instant = Instant(microseconds: microseconds)
        #expect(RFC3339.text(instant) == Array(text.utf8))
        #expect(RFC3339.milliseconds(instant) == Array(text.utf8.prefix(23)) + [UInt8(ascii: "Z")])
    }

    @Test("an older version climbs step by step to the newest") func upcasting() throws {
        let first: Upcasting.Step = { _ in (11, .object([JSON.Member("a", 1)])) }
        let second: Upcasting.Step = { payload throws(FormatError) in
            guard let a = payload["a"]?.integer else { throw .missing("a") }
            return (12, .object([JSON.Member("b", .integer(a + 1))]))
        }
        let newest = try Upcasting.newest(10, .object([]), by: [10: first, 11: second])
        #expect(newest.type == 12)
        #expect(newest.payload == ["b": 2])
        #expect(try Upcasting.newest(12, .object([]), by: [10: first]).type == 12)
    }

    @Test("a circle of steps is an error, not a loop") func circle() {
        let step: Upcasting.Step = { payload in (10, payload) }
        #expect(throws: FormatError.unknownType(10)) {
            try Upcasting.newest(10, .object([]), by: [10: step])
        }
    }
}
