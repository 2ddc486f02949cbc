import OAuth
import Testing

private struct Refusal: CustomTestStringConvertible, Sendable {
    let what: String
    let bytes: [UInt8]
    let error: JSONError

    init(_ what: String, _ text: String, _ error: JSONError) {
        self.init(what, Array(text.utf8), error)
    }

    init(_ what: String, _ bytes: [UInt8], _ error: JSONError) {
        self.what = what
        self.bytes = bytes
        self.error = error
    }

    var testDescription: String { what }
}

private struct Reading: CustomTestStringConvertible, Sendable {
    let text: String
    let value: JSON

    init(_ text: String, _ value: JSON) {
        self.text = text
        self.value = value
    }

    var testDescription: String { text }
}

private let readings = [
    Reading("{}", [:]),
    Reading(" \t\r\n[ ] ", []),
    Reading(#"{"a":1,"b":[true,false,null]}"#, ["a": 1, "b": [true, false, .null]]),
    Reading("-0", 0),
    Reading("9223372036854775807", .integer(.max)),
    Reading("-9223372036854775808", .integer(.min)),
    Reading(#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    Reading(#""\u0041\u00e9\ud83d\ude00""#, "Aé😀"),
    Reading("\"é😀\"", "é😀"),
    Reading(#"{"":{}}"#, ["": [:]]),
]

private let refusals = [
    Refusal("nothing", "", .syntax(at: 0)),
    Refusal("two values", "1 2", .syntax(at: 2)),
    Refusal("a trailing NUL", "1\0", .syntax(at: 1)),
    Refusal("a byte order mark", [0xEF, 0xBB, 0xBF, 0x31], .syntax(at: 0)),
    Refusal("UTF-16", [0x00, 0x31], .syntax(at: 0)),
    Refusal("a repeated member", #"{"a":1,"a":2}"#, .duplicateMember(at: 7)),
    Refusal("a member repeated by an escape", #"{"a":1,"\u0061":2}"#, .duplicateMember(at: 7)),
    Refusal("a repeated empty name", #"{"":1,"":2}"#, .duplicateMember(at: 6)),
    Refusal("a name again after one like it", #"{"a":1,"a6":2,"a":3}"#, .duplicateMember(at: 14)),
    Refusal("a trailing comma in an array", "[1,]", .syntax(at: 3)),
    Refusal("a trailing comma in an object", #"{"a":1,}"#, .syntax(at: 7)),
    Refusal("a name without quotes", "{a:1}", .syntax(at: 1)),
    Refusal("a comment", "/**/1", .syntax(at: 0)),
    Refusal("a leading zero", "01", .syntax(at: 2)),
    Refusal("a plus sign", "+1", .syntax(at: 0)),
    Refusal("a minus alone", "-", .syntax(at: 1)),
    Refusal("a fraction", "1.0", .number(at: 0)),
    Refusal("an exponent", "1e3", .number(at: 0)),
    Refusal("a fraction without digits", "1.", .syntax(at: 2)),
    Refusal("an integer of 65 bits", "9223372036854775808", .number(at: 0)),
    Refusal("an integer of 200 digits", String(repeating: "9", count: 200), .number(at: 0)),
    Refusal("NaN", "NaN", .syntax(at: 0)),
    Refusal("a capital True", "True", .syntax(at: 0)),
    Refusal("an open string", "\"a", .syntax(at: 2)),
    Refusal("a line feed in a string", "\"\n\"", .syntax(at: 1)),
    Refusal("an unknown escape", #""\x""#, .syntax(at: 2)),
    Refusal("an escape that ends early", #""\u12"#, .syntax(at: 5)),
    Refusal("a lone lead surrogate", #""\ud800""#, .syntax(at: 7)),
    Refusal("a lone trail surrogate", #""\ude00""#, .syntax(at: 7)),
    Refusal("two lead surrogates", #""\ud800\ud800""#, .syntax(at: 13)),
    Refusal("a lone continuation byte", [0x22, 0x80, 0x22], .notUTF8(at: 1)),
    Refusal("an overlong slash", [0x22, 0xC0, 0xAF, 0x22], .notUTF8(at: 1)),
    Refusal("a surrogate in UTF-8", [0x22, 0xED, 0xA0, 0x80, 0x22], .notUTF8(at: 1)),
]

@Suite struct JSONReaderTests {
    @Test(arguments: readings)
    private func reads(_ row: Reading) throws {
        #expect(try JSONReader.read(Array(row.text.utf8)) == row.value)
    }

    @Test(arguments: refusals)
    private func refuses(_ row: Refusal) {
        #expect(throws: row.error) { try JSONReader.read(row.bytes) }
    }

    /// As a value of canonical JSON, whether it becomes a tree or stands where it is.
    @Test(arguments: refusals)
    private func refusesAsAValue(_ row: Refusal) {
        let bytes = Array(#"{"a":"#.utf8) + row.bytes + Array("}".utf8)
        let tree = #expect(throws: JSONError.self) { try CanonicalJSON.read(bytes) }
        let standing = #expect(throws: JSONError.self) { try CanonicalObject(bytes) }
        #expect(tree == standing)
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func leavesSixteenLevelsStandingAndNoMore(_ open: String, _ close: String) throws {
        for (levels, isRead) in [(15, true), (16, false), (5_000, false)] {
            let text =
                #"{"a":"# + String(repeating: open, count: levels)
                + (open == "[" ? "" : "1") + String(repeating: close, count: levels) + "}"
            let bytes = Array(text.utf8)
            #expect(((try? CanonicalObject(bytes)) != nil) == isRead)
            #expect(((try? CanonicalJSON.read(bytes)) != nil) == isRead)
        }
    }

    @Test func readsSixteenLevelsAndNoMore() throws {
        let sixteen = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        #expect(throws: Never.self) { try JSONReader.read(Array(sixteen.utf8)) }
        #expect(throws: JSONError.tooDeep(at: 16)) {
            try JSONReader.read(Array("[\(sixteen)]".utf8))
        }
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 60_000)
        #expect(throws: JSONError.tooDeep(at: 16)) { try JSONReader.read(deep) }
    }

    /// Around the sixteen from which on names are kept in a set.
    @Test(arguments: [8, 15, 16, 17, 18, 3000]) func findsARepeatAmong(_ count: Int) {
        let members = (0..<count).map { "\"m\($0)\":0" }
        let distinct = "{\(members.joined(separator: ","))}"
        #expect(throws: Never.self) { try JSONReader.read(Array(distinct.utf8)) }
        let repeated = "{\((members + ["\"m7\":0"]).joined(separator: ","))}"
        #expect(throws: JSONError.duplicateMember(at: distinct.utf8.count)) {
            try JSONReader.read(Array(repeated.utf8))
        }
    }

    @Test func keepsDecimalsAsTextWhereAskedTo() throws {
        let value = try JSONReader.read(Array("[1.5e+3,-0.1,7]".utf8), numbers: .any)
        #expect(value == [.decimal("1.5e+3"), .decimal("-0.1"), 7])
    }

    @Test func findsMembersByBytes() throws {
        let value = try JSONReader.read(Array("{\"\u{212A}\":1,\"e\u{301}\":2}".utf8))
        #expect(value["K"] == nil)
        #expect(value["é"] == nil)
        #expect(value["e\u{301}"] == 2)
    }

    @Test func comparesTextsByBytes() {
        #expect(JSON.string("é") != JSON.string("e\u{301}"))
        #expect(JSON.object([.init("K", 1)]) != JSON.object([.init("\u{212A}", 1)]))
    }
}
