@testable import HTTPServer
import Runtime
import TestSupport
import Testing

/// Whose connections are counted together (security.md section 7.2).
@Suite("Connections per address") struct ConnectionCountTests {
    @Test("an address in IPv4 and a /64 in IPv6 have one bound", arguments: AddressPair.ofSockets)
    func shares(_ pair: AddressPair) throws {
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
