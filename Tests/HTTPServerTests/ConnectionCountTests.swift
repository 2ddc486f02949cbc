@testable import HTTPServer
import Runtime
import TestSupport
import Testing

/// Whose connections are counted together (Security 7.2).
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

    private static func shed(_ reason: String, in metrics: Metrics) -> String? {
        let name = "chancery_http_shed_total{listener=\"test\",reason=\"\(reason)\"} "
        let lines = String(decoding: metrics.render(), as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    }

    @Test("all of an IPv6 /48 have a bound, too, of four /64s, once half of the node is taken")
    func networks() throws {
        let metrics = Metrics()
        var settings = ServerSettings(name: "test", addresses: [])
        settings.limits.connectionsMax = 2_048
        let counters = ServerCounters(settings, .discarding, metrics)
        let peers = try (0..<5).map { number in
            try #require(SocketAddress("[2001:db8:0:\(number)::1]:1"))
        }
        for number in 0..<1_024 {
            let isAdmitted = counters.admit(peers[number % 5], isEncrypted: true)
            #expect(isAdmitted, "\(number)")
        }
        for peer in peers {
            #expect(!counters.admit(peer, isEncrypted: true))
        }
        #expect(counters.connectionCount == 1_024)
        #expect(Self.shed("address", in: metrics) == "5")
        for text in ["[2001:db8:1::1]:1", "192.0.2.1:1"] {
            #expect(counters.admit(try #require(SocketAddress(text)), isEncrypted: true))
        }
        // One that goes makes room for one of another /64.
        counters.release(peers[0])
        #expect(counters.admit(peers[1], isEncrypted: true))
        #expect(!counters.admit(peers[0], isEncrypted: true))
        #expect(counters.connectionCount == 1_026)
        settings.limits.connectionsMax = 4_096
        let wide = ServerCounters(settings, .discarding, Metrics())
        for number in 0..<1_100 {
            #expect(wide.admit(peers[number % 5], isEncrypted: true), "\(number)")
        }
    }

    @Test("IPv4 addresses share no such bound") func addresses() throws {
        var settings = ServerSettings(name: "test", addresses: [])
        settings.limits.connectionsPerNetworkMax = 1
        let counters = ServerCounters(settings, .discarding, Metrics())
        for number in 1...3 {
            let peer = try #require(SocketAddress("192.0.2.\(number):1"))
            #expect(counters.admit(peer, isEncrypted: true))
        }
    }

    @Test("room is made where all are too many, not where one address's are") func room() throws {
        var settings = ServerSettings(name: "test", addresses: [])
        settings.limits.connectionsMax = 2
        settings.limits.connectionsPerAddressMax = 1
        let metrics = Metrics()
        let counters = ServerCounters(settings, .discarding, metrics)
        let peers = try (0..<4).map { number in
            try #require(SocketAddress("192.0.2.\(number):1"))
        }
        var leaving: [SocketAddress] = []
        var asked = 0
        func admit(_ peer: SocketAddress) -> Bool {
            counters.admit(peer, isEncrypted: true) {
                asked += 1
                guard let next = leaving.popLast() else { return false }
                counters.release(next)
                return true
            }
        }
        var admitted = [admit(peers[0]), admit(peers[1]), admit(peers[1])]
        #expect(admitted == [true, true, false] && asked == 0)
        admitted = [admit(peers[2])]
        #expect(admitted == [false] && asked == 1)
        leaving = [peers[0]]
        admitted = [admit(peers[2]), admit(peers[3])]
        #expect(admitted == [true, false] && asked == 3)
        #expect(counters.connectionCount == 2)
        #expect(Self.shed("address", in: metrics) == "1")
        // Two newcomers that were refused, and the one that had to go.
        #expect(Self.shed("connections", in: metrics) == "3")
    }
}
