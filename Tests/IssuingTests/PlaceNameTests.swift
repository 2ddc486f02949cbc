import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

@Suite("The place of a request") struct PlaceNameTests {
    static let good = ["Hamburg, Germany", "d", "東京", String(repeating: "x", count: 64), "a b"]

    @Test("is what a proxy says, where it can be shown", arguments: good)
    func taken(_ text: String) {
        #expect(PlaceName(Array(text.utf8))?.text == text)
    }

    static let bad: [[UInt8]] = [
        [], Array(repeating: 0x78, count: 65), [0xFF], Array("a\u{0}".utf8),
        Array("a\nb".utf8), Array("a\u{85}b".utf8), Array("a\u{2028}b".utf8),
        // Turns the direction of writing; cannot be seen; not in Unicode.
        Array("a\u{202E}b".utf8), Array("a\u{200B}b".utf8), Array("\u{E000}".utf8),
        Array("   ".utf8), Array("\u{7F}".utf8), [0xC3],
    ]

    @Test("is nothing when it cannot be shown in a line", arguments: bad)
    func dropped(_ bytes: [UInt8]) { #expect(PlaceName(bytes) == nil) }

    @Test("is sealed with the request, and shown to who has the link") func shown() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        first.place = PlaceName(Array("Hamburg, Germany".utf8))
        _ = try await first.enter(SignInSide.address, at: first.authorize())
        var phone = TestBrowser(side)
        phone.transaction = nil
        // Where the approving device is says nothing about the request.
        phone.place = PlaceName(Array("Elsewhere".utf8))
        let view = try await side.approval.view(phone.presented(), phone.request)
        #expect(view.place == "Hamburg, Germany" && view.device == "Safari on iOS")
    }

    @Test("is absent where no proxy says it") func absent() async throws {
        let side = try await SignInSide()
        var first = TestBrowser(side)
        _ = try await first.enter(SignInSide.address, at: first.authorize())
        var phone = TestBrowser(side)
        phone.transaction = nil
        let view = try await side.approval.view(phone.presented(), phone.request)
        #expect(view.place == nil)
    }
}
