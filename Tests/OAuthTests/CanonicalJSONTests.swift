import OAuth
import Testing

private let notCanonical: [(String, String, JSONError)] = [
    ("an array", "[]", .notCanonical(at: 0)),
    ("a leading space", " {}", .notCanonical(at: 0)),
    ("a trailing space", "{} ", .syntax(at: 2)),
    ("a space inside", #"{"a": 1}"#, .syntax(at: 5)),
    ("members out of order", #"{"b":1,"a":2}"#, .notCanonical(at: 7)),
    ("a member twice", #"{"a":1,"a":2}"#, .notCanonical(at: 7)),
    ("an empty name", #"{"":1}"#, .notCanonical(at: 1)),
    ("a capital in a name", #"{"A":1}"#, .notCanonical(at: 1)),
    ("a name of 33 bytes", "{\"\(String(repeating: "a", count: 33))\":1}", .notCanonical(at: 1)),
    ("an escaped name", #"{"\u0061":1}"#, .notCanonical(at: 2)),
    ("null", #"{"a":null}"#, .notCanonical(at: 5)),
    ("minus zero", #"{"a":-0}"#, .notCanonical(at: 5)),
    ("2^53", #"{"a":9007199254740992}"#, .notCanonical(at: 5)),
    ("an escaped slash", #"{"a":"\/"}"#, .notCanonical(at: 6)),
    ("a long escape", #"{"a":"\u000a"}"#, .notCanonical(at: 6)),
    ("an escape in capitals", #"{"a":"\u001F"}"#, .notCanonical(at: 6)),
    ("an escape of a letter", #"{"a":"\u0041"}"#, .notCanonical(at: 6)),
]

@Suite struct CanonicalJSONTests {
    @Test func writesOneFormWhateverTheOrder() throws {
        let value: JSON = [
            "zeta": [true, [:], "\u{1}\n\"\\/é"],
            "a_1": .integer(-9_007_199_254_740_991),
            "a": ["b": 2, "a": 1],
        ]
        let text =
            #"{"a":{"a":1,"b":2},"a_1":-9007199254740991,"#
            + #""zeta":[true,{},"\u0001\n\"\\/é"]}"#
        #expect(CanonicalJSON.write(value) == Array(text.utf8))
    }

    @Test(arguments: [
        JSON.null, 1, [], ["a": .null], ["a": .decimal("1.5")], ["A": 1], ["": 1],
        ["a": .integer(1 << 53)], ["a": 1, "b": 2, "a": 3], ["a": [["b": .null]]],
    ])
    func hasNoFormFor(_ value: JSON) {
        #expect(CanonicalJSON.write(value) == nil)
    }

    @Test(arguments: notCanonical)
    func refuses(_ what: String, _ text: String, _ error: JSONError) {
        #expect(throws: error, "\(what)") { try CanonicalJSON.read(Array(text.utf8)) }
        #expect(throws: error, "\(what)") { try CanonicalObject(Array(text.utf8)) }
    }

    @Test func readsBackWhatItWrites() throws {
        var values = RandomValues(seed: 0x5A17)
        for _ in 0..<2_000 {
            let value = values.object(depth: 0)
            let bytes = try #require(CanonicalJSON.write(value))
            let again = try CanonicalJSON.read(bytes)
            #expect(CanonicalJSON.write(again) == bytes)
        }
    }

    /// Whatever byte is changed, what is still accepted is still the only form of its value.
    @Test func acceptsNothingThatItWouldNotWrite() throws {
        var values = RandomValues(seed: 0x1DEA)
        var accepted = 0
        for _ in 0..<4_000 {
            var bytes = try #require(CanonicalJSON.write(values.object(depth: 0)))
            let index = Int.random(in: 0..<bytes.count, using: &values.generator)
            bytes[index] = UInt8.random(in: 0x20..<0x7F, using: &values.generator)
            guard let value = try? CanonicalJSON.read(bytes) else { continue }
            accepted += 1
            #expect(CanonicalJSON.write(value) == bytes)
        }
        #expect(accepted > 0)
    }
}

/// Objects that have a canonical form, drawn from a seed.
private struct RandomValues {
    var generator: SplitMix

    init(seed: UInt64) { generator = SplitMix(state: seed) }

    mutating func object(depth: Int) -> JSON {
        let names = ["a", "b", "zeta", "a_1", "at", "0", "expires_at", "_"]
        let chosen = names.shuffled(using: &generator)
            .prefix(Int.random(in: 0...4, using: &generator))
        return .object(chosen.map { JSON.Member($0, value(depth: depth + 1)) })
    }

    private mutating func value(depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 4 ? 3 : 5), using: &generator) {
        case 0: return .integer(Int64.random(in: CanonicalJSON.integers, using: &generator))
        case 1: return .bool(Bool.random(using: &generator))
        case 2:
            let texts = ["", "é", "😀\u{7F}", "\u{0}\u{1F}", "\"\\", "plain text", "e\u{301}"]
            return .string(texts.randomElement(using: &generator) ?? "")
        case 3:
            let count = Int.random(in: 0...3, using: &generator)
            return .array((0..<count).map { _ in value(depth: depth + 1) })
        default: return object(depth: depth)
        }
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
