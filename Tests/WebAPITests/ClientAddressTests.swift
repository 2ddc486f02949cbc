import HTTPServer
import Issuing
import Runtime
import TestSupport
import Testing
import WebAPI

/// By what of an address limits count (Security 9).
@Suite("Limits and addresses") struct ClientAddressTests {
    private static func limits(perMinute: Int) -> RequestLimits {
        RequestLimits([.page: .init(perMinute: perMinute)], metrics: Metrics(), clock: { 1 })
    }

    /// An address of IPv6.
    private static func client(_ address: String) throws -> ClientAddress {
        ClientAddress(try Fixture.some(SocketAddress("[\(address)]:1")))
    }

    @Test(
        "an address in IPv4 and a /64 in IPv6 share a count",
        arguments: AddressPair.ofSockets + AddressPair.ofProxies
    )
    func shares(_ pair: AddressPair) throws {
        let limits = Self.limits(perMinute: 1)
        let one = ClientAddress(try Fixture.some(SocketAddress(pair.one))).limitKey
        let other = ClientAddress(try Fixture.some(SocketAddress(pair.other))).limitKey
        #expect(limits.take(.page, one) == nil)
        #expect((limits.take(.page, other) != nil) == pair.isOne)
    }

    @Test("attack: a visitor comes from each /64 of a /48: it may as much as four") func network()
        throws
    {
        let limits = Self.limits(perMinute: 3)
        var letIn = 0
        for number in 0..<100 {
            let client = try Self.client("2001:db8:6:\(number)::1")
            if limits.take(.page, from: client) == nil { letIn += 1 }
        }
        #expect(letIn == 4 * 3)
        // Who was refused there has spent nothing of its own.
        let refused = try Self.client("2001:db8:6:99::1").limitKey
        for _ in 0..<3 { #expect(limits.take(.page, refused) == nil) }
        let beside = try Self.client("2001:db8:7::1")
        #expect(limits.take(.page, from: beside) == nil)
        let old = ClientAddress(try Fixture.some(SocketAddress("192.0.2.1:1")))
        for _ in 0..<3 { #expect(limits.take(.page, from: old) == nil) }
        #expect(limits.take(.page, from: old) == 20)
    }

    @Test("one /64 takes no more of its /48 than it was let in for") func alone() throws {
        let limits = Self.limits(perMinute: 3)
        for number in 0..<4 {
            let client = try Self.client("2001:db8:6:\(number)::1")
            for _ in 0..<3 { #expect(limits.take(.page, from: client) == nil) }
            for _ in 0..<20 { #expect(limits.take(.page, from: client) != nil) }
        }
    }

    @Test("a flood of keys refuses nobody who is known, though the /48 is not") func flooded()
        throws
    {
        let clock = Guarded<UInt64>(1_000_000_000)
        let limits = RequestLimits([.page: .init(perMinute: 60)], metrics: Metrics()) {
            clock.current
        }
        let known = try Self.client("2001:db8:6::1")
        for _ in 0..<30 { #expect(limits.take(.page, from: known) == nil) }
        // The bucket of its /48 is empty again, and is swept away; its own is not.
        clock.withLock { $0 += 10_000_000_000 }
        for key in 0..<UInt32(RequestLimits.keysMax) + 200 {
            _ = limits.take(.page, [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: key >> $0) })
        }
        #expect(limits.take(.page, from: known) == nil)
        let unknown = try Self.client("2001:db8:8::1")
        #expect(limits.take(.page, from: unknown) != nil)
    }

    /// What counts as a visit (L4).
    static let visits: [(String, isPost: Bool)] = [
        ("/login/wait", false), ("/oauth2/authorize", false), ("/oauth2/par", true),
        ("/clients/app/flows/verify_login_link", false),
        ("/clients/app/flows/verify_login_link", true),
    ]

    @Test("a /48 counts wherever an address does, and apart for pages of others", arguments: visits)
    func routes(_ target: String, _ isPost: Bool) async throws {
        let web = try await WebSide(limits: [.page: .init(perMinute: 1)])
        func status(_ address: String, _ more: [(String, String)]) async throws -> Int {
            var visitor = web
            visitor.client = try Self.client(address)
            let fields = [("content-type", WebSide.form)] + more
            return try await visitor.send(isPost ? .post : .get, target, fields: fields).status
        }
        let page = [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")]
        for more in [[], page] {
            for number in 0..<4 {
                #expect(try await status("2001:db8:6:\(number)::1", more) != 429)
            }
            #expect(try await status("2001:db8:6:4::1", more) == 429)
            #expect(try await status("2001:db8:7::1", more) != 429)
        }
    }

    @Test("whoever counts mails is told of both") func both() throws {
        let client = try Self.client("2001:db8:6:7::1").networkAddress
        #expect(client.limitKey == [0x20, 0x01, 0x0D, 0xB8, 0, 6, 0, 7])
        #expect(client.widerLimitKey == [0x20, 0x01, 0x0D, 0xB8, 0, 6])
        let old = ClientAddress(try Fixture.some(SocketAddress("192.0.2.1:1"))).networkAddress
        #expect(old.limitKey == [192, 0, 2, 1] && old.widerLimitKey == nil)
    }
}
