import OAuth
import Testing

@Suite struct JSONNumberTests {
    @Test(arguments: [0, 9, 10, 99, 100, 1_795_000_000, .max, .min, -1, -10, 1 << 53])
    func areWrittenInDecimal(_ number: Int64) {
        #expect(String(decoding: JSONWriter.write(.integer(number)), as: UTF8.self) == "\(number)")
    }

    @Test(arguments: [
        ("plain", #""plain""#), ("", #""""#), ("a\"b", #""a\"b""#), ("\\", #""\\""#),
        ("long enough to be no small string \n", #""long enough to be no small string \n""#),
        ("é\u{1}", #""é\u0001""#),
    ])
    func andTextsAreEscapedOnlyWhereTheyMust(_ text: String, _ written: String) {
        #expect(String(decoding: JSONWriter.write(.string(text)), as: UTF8.self) == written)
    }
}
