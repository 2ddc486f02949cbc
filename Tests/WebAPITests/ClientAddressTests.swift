import Runtime
import TestSupport
import Testing
import WebAPI

/// By what of an address limits count (security.md section 9).
@Suite("Limits and addresses") struct ClientAddressTests {
    static let pairs: [(one: String, other: String, isOne: Bool)] = [
        ("192.0.2.1:1", "192.0.2.1:2", true),
        ("192.0.2.1:1", "192.0.2.2:1", false),
        ("[2001:db8:0:1::1]:1", "[2001:db8:0:1:ffff:ffff:ffff:ffff]:2", true),
        ("[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1", false),
        ("[2001:db8:0:1::1]:1", "[2001:db8:1:1::1]:1", false),
        ("[::ffff:192.0.2.1]:1", "192.0.2.1:1", true),
        ("[::ffff:192.0.2.1]:1", "[::ffff:192.0.2.2]:1", false),
    ]

    @Test("an address in IPv4 and a /64 in IPv6 share a count", arguments: pairs)
    func shares(_ pair: (one: String, other: String, isOne: Bool)) throws {
        let limits = RequestLimits(
            [.page: .init(perMinute: 1)],
            metrics: Metrics(),
            clock: { 1 }
        )
        let one = ClientAddress(try Fixture.some(SocketAddress(pair.one))).limitKey
        let other = ClientAddress(try Fixture.some(SocketAddress(pair.other))).limitKey
        #expect(limits.take(.page, one) == nil)
        #expect((limits.take(.page, other) != nil) == pair.isOne)
    }
}
