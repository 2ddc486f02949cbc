import Foundation
@testable import HTTPServer
import Runtime
import TestSupport
import Testing

/// Whom plain HTTP serves (Security 7.2).
@Suite("Plain HTTP") struct PlainPeerTests {
    @Test(
        "serves this machine and trusted proxies, and nobody else",
        arguments: [
            ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("10.0.0.5:1", true),
            ("10.0.0.6:1", false), ("192.0.2.7:1", false), ("[2001:db8::1]:1", false),
        ]
    )
    func serves(_ text: String, _ isServed: Bool) throws {
        var settings = ServerSettings(name: "test", addresses: [])
        settings.trustedProxies = [try #require(AddressRange("10.0.0.5"))]
        let metrics = Metrics()
        let counters = ServerCounters(settings, .discarding, metrics)
        let peer = try #require(SocketAddress(text))
        #expect(counters.admit(peer, isEncrypted: false) == isServed)
        #expect(counters.admit(peer, isEncrypted: true))
        #expect(counters.connectionCount == (isServed ? 2 : 1))
        let shed = "chancery_http_shed_total{listener=\"test\",reason=\"plain\"}"
        let rendered = String(decoding: metrics.render(), as: UTF8.self)
        #expect(rendered.contains("\(shed) \(isServed ? 0 : 1)\n"))
    }

    @Test(
        "says of whom it does not serve the network, and no full address",
        arguments: [
            ("192.0.2.7:4711", "192.0.2.0/24"), ("[::ffff:192.0.2.7]:4711", "192.0.2.0/24"),
            ("[2001:db8:5:6::7]:4711", "2001:db8:5::/48"),
        ]
    )
    func refused(_ text: String, _ network: String) throws {
        let log = SaidLog()
        let settings = ServerSettings(name: "test", addresses: [])
        let counters = ServerCounters(settings, log.log, Metrics())
        let peer = try #require(SocketAddress(text))
        for _ in 1...2 { #expect(!counters.admit(peer, isEncrypted: false)) }
        let said = log.end()
        #expect(said.contains("listen.trusted_proxies is refused"), "\(said)")
        #expect(said.contains("\"\(network)\""), "\(said)")
        for part in [":4711", "192.0.2.7", "::7"] { #expect(!said.contains(part), "\(said)") }
    }

    @Test("serves a local socket") func local() throws {
        let settings = ServerSettings(name: "test", addresses: [])
        let counters = ServerCounters(settings, .discarding, Metrics())
        #expect(counters.admit(try #require(.local("/run/x")), isEncrypted: false))
    }
}
