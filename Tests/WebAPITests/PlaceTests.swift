import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import TestSupport
import Testing
import WebAPI

/// Where a request comes from, as a proxy in front of us says (Security I14, TB2).
@Suite("The place on the approval page") struct PlaceTests {
    private static let proxy = AddressRange("192.0.2.0/24")

    /// What the intake makes of a request from an address, with headers.
    private static func place(
        from address: String,
        _ headers: [(name: String, value: String)],
        named header: String? = "x-client-place"
    ) throws -> String? {
        let intake = Intake(
            proxies: TrustedProxies([try Fixture.some(proxy)]),
            entropy: SeededEntropy(),
            placeHeader: header
        )
        let head = RequestHead(.get, "/login", host: "auth.example.com", fields: headers)
        let loop = try Loop(name: "place")
        let remote = try Fixture.some(SocketAddress(address))
        return intake.request(HTTPServer::Request(head, remote: remote, loop: loop)).place?.text
    }

    @Test("is believed of a trusted proxy alone, said once, and fit to be shown")
    func believed() throws {
        let said = [(name: "x-client-place", value: "Hamburg")]
        #expect(try Self.place(from: "192.0.2.9:1", said) == "Hamburg")
        #expect(try Self.place(from: "192.0.2.9:1", [("X-Client-PLACE", "Hamburg")]) == "Hamburg")
        #expect(try Self.place(from: "198.51.100.9:1", said) == nil)
        #expect(try Self.place(from: "192.0.2.9:1", said + said) == nil)
        #expect(try Self.place(from: "192.0.2.9:1", said, named: nil) == nil)
        #expect(try Self.place(from: "192.0.2.9:1", said, named: "x-place") == nil)
        let long = [(name: "x-client-place", value: String(repeating: "x", count: 65))]
        #expect(try Self.place(from: "192.0.2.9:1", long) == nil)
    }

    @Test("is on the page, escaped, and in the answer to an app") func shown() async throws {
        var side = try await PageSide()
        side.place = PlaceName(Array("<Hamburg> & more".utf8))
        let (_, link) = try await side.askForMail("confirming")
        var phone = side
        phone.cookies = [:]
        phone.place = nil
        let page = await phone.get(try #require(await phone.get(link).location))
        #expect(page.body.contains("<dt>Place</dt><dd>&lt;Hamburg&gt; &amp; more</dd>"))
        let answer = await phone.send(.post, link)
        #expect(answer["result"]?["place"]?.string == "<Hamburg> & more")
    }

    @Test("is left out where it is not known") func absent() async throws {
        var side = try await PageSide()
        let (_, link) = try await side.askForMail("confirming")
        var phone = side
        phone.cookies = [:]
        let page = await phone.get(try #require(await phone.get(link).location))
        #expect(page.body.contains("<dt>Device</dt>") == false)
        #expect(!page.body.contains("<dt>Place</dt>"))
        let answer = await phone.send(.post, link)
        #expect(answer["result"]?["status"]?.string == "confirmation_required")
        #expect(answer["result"]?["place"] == nil)
    }
}
