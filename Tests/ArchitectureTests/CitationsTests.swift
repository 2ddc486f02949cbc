import Foundation
import Testing

/// Whoever follows a citation of the handbook finds the place there.
@Suite("Citations") struct CitationsTests {
    private static func places(of article: String) -> Set<String> {
        Citations.places(in: SourceTree.text("Sources/Handbook.docc/\(article).md") ?? "")
    }

    @Test("lead to a heading, a point or a row with their number") func holds() {
        let known = Citations.articles.map { (article: $0, places: Self.places(of: $0)) }
        var count = 0
        for (path, text) in Citations.texts {
            for (article, places) in known {
                for place in Citations.places(of: article, in: text) {
                    count += 1
                    #expect(places.contains(place), "\(path) cites \(article) \(place)")
                }
            }
        }
        #expect(count > 1_000)
    }

    @Test("name no plan, which nobody here can read") func plans() {
        for (path, text) in Citations.texts {
            for plan in Citations.plans where text.range(of: plan, options: .literal) != nil {
                Issue.record("\(path) cites \(plan)")
            }
        }
    }

    @Test(
        "are read as they are written",
        arguments: [
            ("(Security 4.2)", ["4.2"]), ("as Security 9 says", ["9"]),
            ("Security I4, I9; Events 8", ["I4", "I9"]), ("Security 4.3 to 4.5", ["4.3", "4.5"]),
            ("Security 9, L1 and L9", ["9", "L1", "L9"]), ("Security 10, point 5", ["10"]),
            ("    /// (Security 4.1,\n    /// 4.2 and TB2).", ["4.1", "4.2", "TB2"]),
            ("// of Security\n// 7.1", ["7.1"]), ("<doc:Security> 11", ["11"]),
            ("Security 3; Security 5", ["3", "5"]),
            ("InSecurity 4", []), ("Security 2026", []), ("Security: 4", []), ("Security.md", []),
        ]
    )
    func reads(_ text: String, _ places: [String]) {
        #expect(Citations.places(of: "Security", in: text) == places)
    }

    @Test("lead to what an article has") func finds() {
        let article = """
            ## 8. Steps

            1. One.
            2. Two.

            ### 8.3 More

            ### Aside

            3. Of nothing.

            | I4 | a |
            | T9, T10 | b |
            | Text | c |
            """
        let found = Citations.places(in: article)
        #expect(found == ["8", "8.1", "8.2", "8.3", "I4", "T9", "T10"])
    }
}
