import OAuth
import Testing

@Suite struct JSONNumberTests {
    @Test(arguments: [0, 9, 10, 99, 100, 1_795_000_000, .max, .min, -1, -10, 1 << 53])
    func areWrittenInDecimal(_ number: Int64) {
        #expect(String(decoding: JSONWriter.write(.integer(number)), as: UTF8.self) == "\(number)")
    }

    private static let dates: [(String, Int64?)] = [
        ("1795232554", 1_795_232_554), ("-1795232554", -1_795_232_554),
        ("1795232554.473", 1_795_232_554), ("1.795232554473E9", 1_795_232_554),
        ("1.795232554e+9", 1_795_232_554), ("1795232554473e-3", 1_795_232_554),
        ("2E9", 2_000_000_000), ("0.9", 0), ("1e-99", 0), ("0e99", nil), ("1e15", nil),
        ("1e14", 100_000_000_000_000),
        ("123456789012345.6", 123_456_789_012_345), ("1234567890123456.7", nil), ("1e100", nil),
        ("-1.5", nil), ("-1e3", nil), ("9007199254740992", nil), ("99999999999999999999", nil),
    ]

    @Test(arguments: dates.indices) func dateIsAnyNumberOfSecondsCutOff(_ index: Int) throws {
        let (text, seconds) = Self.dates[index]
        let number = try JSONReader.read(Array(text.utf8), numbers: .any)
        #expect(number.numericDate == seconds, "\(text)")
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
