import Foundation
import OAuth
import Testing

@Suite struct Base64URLTests {
    @Test(
        arguments: [
            ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"),
            ([0xFB, 0xFF], "-_8"), ([0, 0, 0, 0], "AAAAAA"),
        ] as [([UInt8], String)]
    )
    func writesAndReads(_ bytes: [UInt8], _ text: String) {
        #expect(Base64URL.text(bytes) == text)
        #expect(Base64URL.decode(Array(text.utf8)) == bytes)
    }

    @Test(arguments: ["A", "AAAAA", "Zg==", "Zh", "Zm9", "+/8", "Z g", "Zg\n", "AR", "é"])
    func refusesTheSecondFormOfAnything(_ text: String) {
        #expect(Base64URL.decode(Array(text.utf8)) == nil)
    }

    @Test func theAlphabetIsTheStandardsInItsOrder() {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        // The 64 values 0 to 63, six bits each.
        var bytes: [UInt8] = []
        for first in stride(from: UInt32(0), to: 64, by: 4) {
            let bits = first << 18 | (first + 1) << 12 | (first + 2) << 6 | first + 3
            bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> UInt32($0)) }
        }
        #expect(Base64URL.text(bytes) == alphabet)
        #expect(Base64URL.decode(Array(alphabet.utf8)) == bytes)
    }

    @Test("every length is written as the standard's encoder writes it") func everyLength() {
        var generator = SplitMix(state: 3)
        for count in 0...200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let standard = Data(bytes).base64EncodedString()
                .replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            #expect(Base64URL.text(bytes) == standard)
            var text = Array("head.".utf8)
            Base64URL.append(bytes, to: &text)
            #expect(text == Array("head.\(standard)".utf8))
            #expect(Base64URL.decode(text[5...]) == bytes)
        }
    }

    @Test("at every place each byte is of the alphabet or refused") func everyByte() {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
        for count in [4, 8, 12, 20, 24] {
            for place in 0..<count {
                for byte in UInt8.min ... .max {
                    var text = [UInt8](repeating: UInt8(ascii: "k"), count: count)
                    text[place] = byte
                    #expect((Base64URL.decode(text) != nil) == alphabet.contains(byte))
                }
            }
        }
    }

    @Test func everyAcceptedTextIsTheOneWritten() {
        var generator = SplitMix(state: 7)
        for _ in 0..<3_000 {
            let count = Int.random(in: 0...70, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text) == bytes)
            guard !text.isEmpty else { continue }
            let index = Int.random(in: 0..<text.count, using: &generator)
            text[index] = UInt8.random(in: 0...255, using: &generator)
            guard let other = Base64URL.decode(text) else { continue }
            #expect(Base64URL.encode(other) == text)
        }
    }
}

@Suite struct HexadecimalTests {
    @Test func writesAndReadsLowerCase() {
        #expect(Hexadecimal.text([0x00, 0xAB, 0x7F]) == "00ab7f")
        var text: [UInt8] = []
        Hexadecimal.append(0x00AB_7F01_2345_6789, to: &text)
        Hexadecimal.append(0xFEDC_BA98_7654_3210, to: &text)
        #expect(text == Array("00ab7f0123456789fedcba9876543210".utf8))
        #expect(Hexadecimal.decode(Array("00ab7f".utf8)) == [0x00, 0xAB, 0x7F])
    }

    @Test(arguments: ["0", "AB", "0g", "+1", " 1", "0x"])
    func refuses(_ text: String) {
        #expect(Hexadecimal.decode(Array(text.utf8)) == nil)
    }
}

@Suite struct DecimalDigitsTests {
    @Test(
        "digits are a number, whatever zeros lead it",
        arguments: [
            ("0", 0), ("7", 7), ("007", 7), ("65535", 65_535), ("0000000000000000000000019", 19),
            ("9223372036854775807", .max), ("09223372036854775807", .max),
        ] as [(String, Int64)]
    )
    func reads(_ text: String, _ number: Int64) {
        #expect(DecimalDigits.read(Array(text.utf8)) == number)
        #expect(DecimalDigits.read(Array("a\(text)".utf8)[1...]) == number)
    }

    @Test(
        "nothing else is one, nor what an Int64 does not hold",
        arguments: [
            "", "+5", "-5", " 5", "5 ", "5\n", "1_0", "0x1", "1e1", "1.0", "\u{661}", "5\0",
            "9223372036854775808", "18446744073709551617", "99999999999999999999",
        ]
    )
    func refuses(_ text: String) {
        #expect(DecimalDigits.read(Array(text.utf8)) == nil)
    }
}

@Suite struct PercentEncodingTests {
    @Test func escapesAllButUnreserved() {
        let text = PercentEncoding.encode("Az09-._~ +/é%".utf8)
        #expect(String(decoding: text, as: UTF8.self) == "Az09-._~%20%2B%2F%C3%A9%25")
    }

    @Test(arguments: [
        ("a%20b", "a b"), ("%C3%a9", "é"), ("a+b", "a+b"), ("%2525", "%25"), ("", ""),
    ])
    func decodesOnce(_ text: String, _ decoded: String) {
        let bytes = PercentEncoding.decode(Array(text.utf8)[...], plusIsSpace: false)
        #expect(bytes == Array(decoded.utf8))
    }

    @Test(arguments: ["%", "%2", "%2g", "%+1", "a%", "%%20"])
    func refuses(_ text: String) {
        #expect(PercentEncoding.decode(Array(text.utf8)[...], plusIsSpace: true) == nil)
    }
}

@Suite struct FormTests {
    private func pairs(_ text: String) throws -> [[String]] {
        try Form(parsing: Array(text.utf8)).fields.map {
            [String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self)]
        }
    }

    @Test(
        arguments: [
            ("", []), ("&&a=1&", [["a", "1"]]), ("a=b=c", [["a", "b=c"]]), ("a", [["a", ""]]),
            ("a=", [["a", ""]]), ("=x", [["", "x"]]), ("a=x+y%20z", [["a", "x y z"]]),
            ("u=https://a.example:8/?b,;@", [["u", "https://a.example:8/?b,;@"]]),
            ("b=2&a=1&b=3", [["b", "2"], ["a", "1"], ["b", "3"]]), ("%61=%3D", [["a", "="]]),
        ] as [(String, [[String]])]
    )
    func reads(_ text: String, _ expected: [[String]]) throws {
        #expect(try pairs(text) == expected)
    }

    @Test(
        arguments: [
            ("a=%", .badEscape), ("a=%0", .badEscape), ("%zz=1", .badEscape),
            ("a=%00", .controlByte), ("a=b%0Ac", .controlByte), ("a%0D=1", .controlByte),
            ("a=%FF", .notUTF8), ("a=%C0%AF", .notUTF8), ("a=%ED%A0%80", .notUTF8),
        ] as [(String, Form.Failure)]
    )
    func refuses(_ text: String, _ failure: Form.Failure) {
        #expect(throws: failure) { try Form(parsing: Array(text.utf8)) }
    }

    @Test("any bytes are read as by splitting first and decoding then") func asSplit() {
        var generator = SplitMix(state: 11)
        let bytes = Array("&&==%+%2541aZ>?~;\u{7F}\u{80}\n\0".utf8) + [0xFF]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...24, using: &generator)
            let text = (0..<count).compactMap { _ in bytes.randomElement(using: &generator) }
            let parsed = try? Form(parsing: text).fields
            #expect(parsed == Self.split(text), "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("a byte means the same wherever it stands in a long value") func inLongValues() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<24 {
                var text = [UInt8](repeating: UInt8(ascii: "a"), count: 24)
                text[place] = byte
                #expect((try? Form(parsing: text).fields) == Self.split(text), "\(byte) \(place)")
            }
        }
    }

    /// The standard's steps, one behind the other; nil when a pair is refused.
    private static func split(_ text: [UInt8]) -> [Form.Field]? {
        var fields: [Form.Field] = []
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let decoded = parts.map { part in
                let spaced = part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
                return String(validating: spaced, as: UTF8.self)?.removingPercentEncoding
            }
            guard let name = decoded[0], let value = decoded.count > 1 ? decoded[1] : "",
                !(name + value).utf8.contains(where: { [0, 0x0A, 0x0D].contains($0) })
            else { return nil }
            fields.append(Form.Field(name: Array(name.utf8), value: Array(value.utf8)))
        }
        return fields
    }

    @Test func readsAHundredPairsAndNoMore() {
        let hundred = Array(repeating: "a=1", count: 100).joined(separator: "&&")
        #expect(throws: Never.self) { try Form(parsing: Array(hundred.utf8)) }
        #expect(throws: Form.Failure.tooManyFields) {
            try Form(parsing: Array("\(hundred)&a=1".utf8))
        }
    }

    @Test func findsNamesByBytes() throws {
        let form = try Form(parsing: Array("%E2%84%AA=1&k=&s=1&s=2".utf8))
        #expect(form.single("K") == nil)
        #expect(form.single("\u{212A}") == [0x31])
        #expect(form.single("k") == nil)
        #expect(form.single("s") == nil)
        #expect(form.values("s") == [[0x31], [0x32]])
    }
}

@Suite struct MediaTypeTests {
    @Test(
        arguments: [
            ("application/x-www-form-urlencoded", .form),
            ("Application/X-WWW-Form-URLEncoded ; Charset=UTF-8", .form),
            ("application/json;charset=\"utf-8\"", .json), ("application/yaml", .yaml),
        ] as [(String, MediaType)]
    )
    func reads(_ text: String, _ type: MediaType) {
        #expect(MediaType(headerValue: Array(text.utf8)) == type)
    }

    @Test(arguments: [
        "", "text/plain", "application/json; charset=latin1", "application/json;",
        "application/json; charset=utf-8; a=b", "application/json, application/json",
        "application/jso\u{212A}", "multipart/form-data",
    ])
    func refuses(_ text: String) {
        #expect(MediaType(headerValue: Array(text.utf8)) == nil)
    }
}

@Suite struct BasicCredentialsTests {
    @Test(arguments: [
        ("Basic YTpi", "a", "b"), ("bAsIc  YTpi", "a", "b"), ("Basic YTo=", "a", ""),
        ("Basic YTpiOmM=", "a", "b:c"), ("Basic JTNBOmErYg==", ":", "a b"),
    ])
    func reads(_ header: String, _ client: String, _ secret: String) throws {
        let read = try #require(BasicCredentials(headerValue: Array(header.utf8)))
        #expect(read.client == Array(client.utf8))
        #expect(read.secret == Array(secret.utf8))
    }

    @Test(arguments: [
        "", "Basic", "Basic ", "Bearer YTpi", "BasicYTpi", "Basic YQ==", "Basic YTo", "Basic YTp_",
        "Basic ====", "Basic YT=pi", "Basic YTqi", "Basic JTox", "Basic YTolMDA=",
    ])
    func refuses(_ header: String) {
        #expect(BasicCredentials(headerValue: Array(header.utf8)) == nil)
    }
}
