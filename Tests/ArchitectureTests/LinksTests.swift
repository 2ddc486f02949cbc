import Foundation
import Testing

/// Whoever follows a link of the README finds the file, and the heading in it.
@Suite("Links of the README") struct LinksTests {
    /// A file of this checkout, and the name of one of its headings in an address.
    struct Link: Hashable {
        var path: String
        var heading: String?
    }

    @Test("lead to files and headings") func holds() throws {
        let links = Self.links(in: try #require(SourceTree.text("README.md")))
        #expect(links.count > 10)
        for link in links { #expect(Self.leads(link), "\(link.path) \(link.heading ?? "")") }
    }

    @Test(
        "that lead nowhere are seen",
        arguments: [
            Link(path: "Sources/None.md"),
            Link(path: "Sources/Handbook.docc/WireContract.md", heading: "10-apps"),
        ]
    )
    func nowhere(_ link: Link) { #expect(!Self.leads(link)) }

    @Test("are read as they are written") func reads() {
        let text = "a [b](c/d.md), [e](f.md#g-h) and [i](https://j.example/k), not l](m n)"
        let found = [Link(path: "c/d.md"), Link(path: "f.md", heading: "g-h")]
        #expect(Self.links(in: text) == found)
        #expect(Self.name(of: "## 10. Apps, built on `SDKs`") == "10-apps-built-on-sdks")
    }

    /// The links within the checkout: an address elsewhere has a colon.
    private static func links(in text: String) -> [Link] {
        text.matches(of: /\]\(([^):\s#]+)(?:#([^)\s]*))?\)/).map { match in
            Link(path: String(match.output.1), heading: match.output.2.map(String.init))
        }
    }

    private static func leads(_ link: Link) -> Bool {
        guard let text = SourceTree.text(link.path) else { return false }
        guard let heading = link.heading else { return true }
        return text.split(separator: "\n").contains { line in
            line.hasPrefix("#") && name(of: line) == heading
        }
    }

    /// The name that a page shown from a heading has for it: lower case, without punctuation.
    private static func name(of heading: some StringProtocol) -> String {
        let words = heading.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
        return words.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
            .replacing(" ", with: "-")
    }
}
