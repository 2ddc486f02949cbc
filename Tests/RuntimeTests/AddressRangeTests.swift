import Runtime
import Testing

@Suite("Ranges of addresses") struct AddressRangeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var range: String
        var address: String
        var isIn: Bool
        var testDescription: String { "\(address) is \(isIn ? "" : "not ")in \(range)" }
    }

    static let rows = [
        Row(range: "10.1.2.3", address: "10.1.2.3:443", isIn: true),
        Row(range: "10.1.2.3", address: "10.1.2.4:443", isIn: false),
        Row(range: "10.0.0.0/8", address: "10.255.0.1:1", isIn: true),
        Row(range: "10.0.0.0/8", address: "11.0.0.1:1", isIn: false),
        Row(range: "192.0.2.0/25", address: "192.0.2.127:1", isIn: true),
        Row(range: "192.0.2.0/25", address: "192.0.2.128:1", isIn: false),
        Row(range: "0.0.0.0/0", address: "203.0.113.9:1", isIn: true),
        Row(range: "0.0.0.0/0", address: "[2001:db8::1]:1", isIn: false),
        Row(range: "2001:db8::1", address: "[2001:db8::1]:9", isIn: true),
        Row(range: "2001:db8::1", address: "[2001:db8::2]:9", isIn: false),
        Row(range: "fd00::/8", address: "[fdff::1]:1", isIn: true),
        Row(range: "fd00::/8", address: "[fe00::1]:1", isIn: false),
        Row(range: "10.0.0.0/8", address: "[::ffff:10.0.0.1]:1", isIn: true),
        Row(range: "unix", address: "10.0.0.1:1", isIn: false),
    ]

    @Test(arguments: rows) func contains(_ row: Row) throws {
        let range = try #require(AddressRange(row.range))
        #expect(range.contains(try #require(SocketAddress(row.address))) == row.isIn)
    }

    @Test("unix is every local socket") func local() throws {
        let range = try #require(AddressRange("unix"))
        #expect(range.contains(try #require(SocketAddress.local("/run/proxy"))))
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.1:80",
            "[::1]", "::1/129", "10.0.0", "Unix",
        ]
    )
    func malformed(_ text: String) { #expect(AddressRange(text) == nil) }
}
