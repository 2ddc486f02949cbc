import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("What a login tells nobody") struct SignInSecrecyTests {
    @Test("attack: how long a known address takes, and an unknown one: the log is asked as often")
    func reads() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        _ = try await first.signIn()
        let store = CountingStore(side.store)
        let links = side.links(at: side.context(over: store))
        var counts: [String: [Int]] = [:]
        // The first of each is what the node has not heard of yet.
        for _ in 0..<3 {
            side.clock.advance(seconds: 61)
            for address in [SignInSide.address, "nobody@example.com"] {
                var browser = TestBrowser(side)
                let step = try await browser.authorize()
                guard case .login(let id) = step else { return #expect(Bool(false), "\(step)") }
                let page = try #require(try await side.pages.login(id, browser.request))
                let before = store.reads
                _ = try await links.request(
                    browser.posted(id, page.formToken),
                    address: Array(address.utf8),
                    browser.request
                )
                counts[address, default: []].append(store.reads - before)
            }
        }
        #expect(counts[SignInSide.address] == counts["nobody@example.com"])
    }
}
