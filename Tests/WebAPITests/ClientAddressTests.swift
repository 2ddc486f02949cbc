import Runtime
import TestSupport
import Testing
import WebAPI

/// By what of an address limits count (Security 9).
@Suite("Limits and addresses") struct ClientAddressTests {
    @Test(
        "an address in IPv4 and a /64 in IPv6 share a count",
        arguments: AddressPair.ofSockets + AddressPair.ofProxies
    )
    func shares(_ pair: AddressPair) throws {
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
