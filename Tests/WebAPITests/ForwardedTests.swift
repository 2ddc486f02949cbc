import Domain
import HTTPServer
import InMemory
import Issuing
import Runtime
import TestSupport
import Testing
import WebAPI

/// What is believed of the proxies in front of us (Security TB2 and 7.1).
@Suite("Forwarded requests") struct ForwardedTests {
    private static let proxy = "10.0.0.1:1"

    /// A request as the public listener hands it on; whoever is in 10.0.0.0/8 is a proxy.
    private static func taken(
        from peer: String,
        _ fields: [(name: String, value: String)]
    ) throws -> WebAPI.Request {
        let intake = Intake(
            proxies: TrustedProxies([try Fixture.some(AddressRange("10.0.0.0/8"))]),
            entropy: SeededEntropy()
        )
        let head = RequestHead(.get, "/login", host: "auth.example.com", fields: fields)
        let loop = try Loop(name: "forwarded")
        let remote = try Fixture.some(SocketAddress(peer))
        return intake.request(HTTPServer::Request(head, remote: remote, loop: loop))
    }

    struct Hops: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var peer = ForwardedTests.proxy
        var sent: [String]
        var client: String
    }

    static let hops = [
        Hops(testDescription: "one hop", sent: ["192.0.2.7"], client: "192.0.2.7"),
        Hops(
            testDescription: "what the caller made up stands left of what a proxy saw",
            sent: ["203.0.113.9, 192.0.2.7"],
            client: "192.0.2.7"
        ),
        Hops(
            testDescription: "proxies of ours on the way are passed over",
            sent: ["203.0.113.9, 192.0.2.7, 10.0.0.3,\t10.0.0.2"],
            client: "192.0.2.7"
        ),
        Hops(
            testDescription: "several fields are one list",
            sent: ["203.0.113.9", "192.0.2.7", "10.0.0.2"],
            client: "192.0.2.7"
        ),
        Hops(
            testDescription: "an address in IPv6",
            sent: ["203.0.113.9, 2001:db8::7"],
            client: "2001:db8::7"
        ),
        Hops(
            testDescription: "a hop with the caller's port",
            sent: ["203.0.113.9, 192.0.2.7:51234"],
            client: "192.0.2.7"
        ),
        Hops(
            testDescription: "an address in IPv6 with its port, past a proxy with one",
            sent: ["203.0.113.9, [2001:db8::7]:443, 10.0.0.2:8080"],
            client: "2001:db8::7"
        ),
        Hops(
            testDescription: "an address in brackets without a port",
            sent: ["203.0.113.9, [2001:db8::7]"],
            client: "2001:db8::7"
        ),
        Hops(
            testDescription: "a port that is none",
            sent: ["203.0.113.9, 192.0.2.7:65536"],
            client: "10.0.0.1"
        ),
        Hops(
            testDescription: "nobody but proxies",
            sent: ["10.0.0.3, 10.0.0.2"],
            client: "10.0.0.1"
        ),
        Hops(testDescription: "no field", sent: [], client: "10.0.0.1"),
        Hops(testDescription: "an empty field", sent: [""], client: "10.0.0.1"),
        Hops(
            testDescription: "past a hop that is no address nothing is believed",
            sent: ["192.0.2.7, unknown, 10.0.0.2"],
            client: "10.0.0.1"
        ),
        Hops(testDescription: "a name", sent: ["192.0.2.7, example.com"], client: "10.0.0.1"),
        Hops(
            testDescription: "of somebody who is no proxy, nothing",
            peer: "198.51.100.1:1",
            sent: ["192.0.2.7"],
            client: "198.51.100.1"
        ),
    ]

    @Test("the caller is the rightmost hop that is no proxy of ours", arguments: hops)
    func caller(_ row: Hops) throws {
        let fields = row.sent.map { (name: "x-forwarded-for", value: $0) }
        let expected = try Fixture.some(SocketAddress(host: row.client))
        let client = try Self.taken(from: row.peer, fields).client.address
        #expect(client.bytes == expected.bytes)
        // Of a hop no port is kept: whoever counts callers counts addresses.
        #expect(client.port == 0 || client.bytes == [10, 0, 0, 1] || row.peer != Self.proxy)
    }

    @Test(
        "a proxy says https once and alone, or it has not said it",
        arguments: [
            (["https"], true), ([], false), (["http"], false), (["HTTPS"], false),
            (["https", "https"], false), (["http", "https"], false), (["https, http"], false),
            (["https, https"], false), (["https,"], false), ([""], false),
        ] as [([String], Bool)]
    )
    func scheme(_ sent: [String], _ isSecure: Bool) throws {
        let fields = sent.map { (name: "x-forwarded-proto", value: $0) }
        #expect(try Self.taken(from: Self.proxy, fields).isSecure == isSecure)
        #expect(try !Self.taken(from: "198.51.100.1:1", fields).isSecure)
    }

    @Test(
        "a browser hears for a year that we speak TLS, and of plain HTTP nothing",
        arguments: ["/oauth2/jwks", "/nowhere", "/oauth2/token"],
        [true, false]
    )
    func strictTransport(_ path: String, _ isSecure: Bool) async throws {
        let web = try await WebSide()
        let request = WebAPI.Request(
            method: .get,
            path: path,
            host: "auth.example.com",
            client: ClientAddress(.loopback(port: 1)),
            isSecure: isSecure,
            id: .drawn(),
            deadline: Fixture.noDeadline
        )
        let answer = await web.api.respond(to: request)
        let expected = isSecure ? ["max-age=31536000"] : []
        #expect(answer.values(of: "Strict-Transport-Security") == expected)
    }

    @Test("and so of what is refused before it is whole", arguments: [true, false])
    func strictTransportOfRefusals(_ isTLS: Bool) async throws {
        let web = try await WebSide()
        let peer = Peer(SocketAddress.loopback(port: 1), isTLS: isTLS)
        let head = RequestHead(.post, "/oauth2/token", host: "auth.example.com")
        let answer = web.api.refused(RefusedRequest(.serviceUnavailable, head), from: peer)
        let expected = isTLS ? ["max-age=31536000"] : []
        #expect(answer.values(of: "Strict-Transport-Security") == expected)
    }
}
