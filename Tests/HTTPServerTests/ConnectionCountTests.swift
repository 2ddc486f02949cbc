@testable import HTTPServer
import Runtime
import Testing

/// Whose connections are counted together (security.md section 7.2).
@Suite("Connections per address") struct ConnectionCountTests {
    static let pairs: [(one: String, other: String, isOne: Bool)] = [
        ("192.0.2.1:1", "192.0.2.1:2", true),
        ("192.0.2.1:1", "192.0.2.2:1", false),
        ("[2001:db8:0:1::1]:1", "[2001:db8:0:1:ffff:ffff:ffff:ffff]:2", true),
        ("[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", false),
        ("[2001:db8:0:1::1]:1", "[2001:db8:1:1::1]:1", false),
    ]

    @Test("an address in IPv4 and a /64 in IPv6 have one bound", arguments: pairs)
    func shares(_ pair: (one: String, other: String, isOne: Bool)) throws {
        var settings = ServerSettings(name: "test", addresses: [])
        settings.limits.connectionsPerAddressMax = 1
        let counters = ServerCounters(settings, .discarding, Metrics())
        let one = try #require(SocketAddress(pair.one))
        let other = try #require(SocketAddress(pair.other))
        #expect(counters.admit(one, isEncrypted: true))
        #expect(counters.admit(other, isEncrypted: true) != pair.isOne)
        counters.release(one)
        #expect(counters.admit(one, isEncrypted: true))
    }
}
