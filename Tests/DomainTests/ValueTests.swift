import Domain
import TestSupport
import Testing

@Suite("Values") struct ValueTests {
    @Test("instants saturate and round down") func instants() {
        #expect(Instant(milliseconds: .max).microseconds == .max)
        #expect(Instant(seconds: .min).microseconds == .min)
        #expect(Instant(microseconds: -1).milliseconds == -1)
        #expect(Instant(microseconds: -1).seconds == -1)
        #expect(Instant(microseconds: 1999).wholeMilliseconds == Instant(milliseconds: 1))
        #expect(Instant(seconds: 1).adding(seconds: 2) == Instant(seconds: 3))
        #expect(Instant(seconds: 1).adding(milliseconds: -1) == Instant(milliseconds: 999))
        #expect(Instant(microseconds: .max).adding(seconds: 1).microseconds == .max)
        #expect(Instant(microseconds: .min).adding(milliseconds: .min).microseconds == .min)
        #expect(Instant(seconds: 2).millisecondsSince(Instant(seconds: 1)) == 1000)
        #expect(Instant(seconds: 1).millisecondsSince(Instant(seconds: 2)) == 0)
        #expect(Instant(seconds: 1) < Instant(seconds: 2))
    }

    @Test("a login happened at a whole millisecond") func authentication() {
        let login = Authentication(methods: [.otp], at: Instant(microseconds: 1999))
        #expect(login.at == Instant(milliseconds: 1))
    }

    @Test("stream ids are 16 bytes or lower-case UUID text") func streams() {
        let text = "01900000-0000-7000-8000-000000000001"
        #expect(StreamID(text: text.utf8) == Sample.stream(1))
        #expect(Sample.stream(1).description == text)
        #expect(StreamID(bytes: Sample.stream(1).bytes) == Sample.stream(1))
        #expect(Sample.stream(1) < Sample.stream(2))
        for wrong in [
            "", "01900000-0000-7000-8000-00000000000", "01900000-0000-7000-8000-00000000000A",
            "01900000-0000-7000-8000_000000000001", "019000000000-7000-8000-000000000001-",
        ] {
            #expect(StreamID(text: wrong.utf8) == nil, "\(wrong)")
        }
        #expect(StreamID(bytes: [UInt8](repeating: 0, count: 15)) == nil)
    }

    @Test("digests are 32 bytes, compared whole") func digests() {
        #expect(TokenDigest(bytes: [UInt8](repeating: 0, count: 31)) == nil)
        for index in 0..<32 {
            var bytes = [UInt8](repeating: 0, count: 32)
            let zero = TokenDigest(bytes: bytes)
            bytes[index] = 1
            #expect(TokenDigest(bytes: bytes) != zero, "byte \(index)")
            #expect(TokenDigest(bytes: bytes)?.bytes == bytes)
        }
    }

    @Test("the highest byte of a number comes first") func bigEndian() {
        var bytes: [UInt8] = [9]
        bytes.append(bigEndian: 0x0102_0304_0506_0708 as UInt64)
        bytes.append(bigEndian: 0x0A0B_0C0D as UInt32)
        bytes.append(bigEndian: 0xFE0F as UInt16)
        #expect(bytes == [9, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 254, 15])
        #expect(ProjectNumber(0x0102)?.bytes == [1, 2])
        let whole = UInt64(bigEndian: bytes.span.extracting(1..<9))
        #expect(whole == 0x0102_0304_0506_0708)
        let half = UInt32(bigEndian: bytes.span.extracting(9..<13))
        #expect(half == 0x0A0B_0C0D)
        let short = Int64(bigEndian: bytes.span.extracting(13..<15))
        #expect(short == 0xFE0F)
        let negative = Int64(bigEndian: [UInt8](repeating: 255, count: 8).span)
        #expect(negative == -1)
    }

    @Test(
        "scope tokens are separated by one space",
        arguments: ["", " ", "a ", " a", "a  b", "a\tb", "a\"b", "a\\b", "é"]
    )
    func noScope(_ text: String) { #expect(Scope(text) == nil) }

    @Test("scopes are sets") func scopes() {
        let scope = Sample.scope("b a b")
        #expect(scope.text == "a b")
        #expect(scope.contains("a"))
        #expect(!scope.contains("c"))
        #expect(scope.intersection(Sample.scope("b c")).tokens == ["b"])
        #expect(scope.union(Sample.scope("c")).tokens == ["a", "b", "c"])
        #expect(Scope.empty.isSubset(of: scope))
        #expect(!scope.isSubset(of: .empty))
        #expect(Scope((0...50).map { "s\($0)" }.joined(separator: " ")) == nil)
        #expect(Scope(String(repeating: "s", count: 129)) == nil)
    }

    @Test(
        "addresses have one form",
        arguments: [
            ("  Ann@Example.COM\t", "Ann@example.com"), ("a@b.c", "a@b.c"),
            ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example"),
        ]
    )
    func addresses(_ raw: String, _ canonical: String) {
        #expect(EmailAddress(Array(raw.utf8))?.bytes == Array(canonical.utf8))
    }

    @Test(
        "what is no address",
        arguments: [
            "", "@", "a@", "@b.c", "a@b@c", "a b@c.d", "a\r\n@b.c", "<a@b.c>", "\"a\"@b.c",
            ".a@b.c", "a.@b.c", "a@-b.c", "a@b-.c", "a@b..c", "a@b.c.", "é@b.c", "a@é.c",
        ]
    )
    func noAddress(_ raw: String) { #expect(EmailAddress(Array(raw.utf8)) == nil) }

    @Test("no address holds what mail headers and other addresses are made of")
    func noPunctuation() {
        for byte: UInt8 in 0...255 {
            let isAllowed =
                0x21...0x7E ~= byte && !Array("\"(),:;<>@[\\]".utf8).contains(byte)
            let inner = EmailAddress(Array("a".utf8) + [byte] + Array("b@c.d".utf8))
            #expect((inner != nil) == isAllowed, "byte \(byte)")
        }
    }

    @Test("a domain is labels of letters, digits and inner hyphens") func domains() {
        for byte: UInt8 in 0...255 {
            let isAllowed =
                0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            let inner = EmailAddress(Array("a@b".utf8) + [byte] + Array("c.d".utf8))
            #expect((inner != nil) == isAllowed, "byte \(byte)")
        }
    }

    @Test(
        "lengths of an address",
        arguments: [
            (64, "b.c", true), (65, "b.c", false), (1, String(repeating: "b", count: 63), true),
            (1, String(repeating: "b", count: 64), false),
            (1, String(repeating: "b", count: 64) + ".c", false),
            (64, String(repeating: "b.", count: 94) + "c", true),
            (64, String(repeating: "b.", count: 94) + "cd", false),
        ]
    )
    func lengths(_ local: Int, _ domain: String, _ isAddress: Bool) {
        let text = String(repeating: "a", count: local) + "@" + domain
        #expect((EmailAddress(text.utf8) != nil) == isAddress)
    }

    @Test(
        "addresses of one mailbox are counted as one",
        arguments: [
            ("Ann@Example.com", "ann@example.com"), ("ann+1@b.c", "ann@b.c"),
            ("ANN+a+b@b.c", "ann@b.c"), ("+tag@b.c", "+tag@b.c"), ("a.nn@b.c", "a.nn@b.c"),
            ("+@b.c", "+@b.c"), ("++1@b.c", "+@b.c"),
        ]
    )
    func mailbox(_ raw: String, _ mailbox: String) {
        #expect(EmailAddress(Array(raw.utf8))?.mailbox == Array(mailbox.utf8))
    }

    @Test("an address is shown masked") func masked() {
        #expect(EmailAddress(Array("ann@example.com".utf8))?.masked == "a•••@example.com")
    }

    @Test("client ids", arguments: ["", "a b", "é", "a/b", String(repeating: "a", count: 65)])
    func noClient(_ text: String) { #expect(ClientID(text) == nil) }

    @Test("project ids", arguments: ["", "1a", "A", "a_b", String(repeating: "a", count: 41)])
    func noProject(_ text: String) { #expect(ProjectID(text) == nil) }

    @Test("redirect URIs are printable ASCII", arguments: ["", "a b", "é", "a\u{7F}"])
    func noURI(_ text: String) { #expect(RedirectURI(text) == nil) }

    @Test("a client without DPoP and secret rotates by itself") func rotation() {
        var client = ClientSettings(
            id: Sample.client("app"),
            name: "App",
            applicationType: .native
        )
        #expect(client.rotates(dpopBound: false))
        #expect(!client.rotates(dpopBound: true))
        client.refreshTokenRotation = .always
        #expect(client.rotates(dpopBound: true))
        client.refreshTokenRotation = .never
        #expect(!client.rotates(dpopBound: false))
    }
}
