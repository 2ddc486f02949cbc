import Foundation
import Testing

/// Whoever looks for a decision finds it in the handbook, below one topic.
@Suite("The handbook's list of decisions") struct DecisionListTests {
    /// A heading of the handbook, and the pages that are linked below it.
    private struct Topic {
        var heading: String
        var pages: [String]
    }

    @Test("has every decision once, by number within a topic, and nothing else")
    func holds() throws {
        let paths = SourceTree.paths(under: "Sources/Handbook.docc/Decisions", suffix: ".md")
        let files = paths.map { String(($0.split(separator: "/").last ?? "").dropLast(3)) }
        let text = try #require(SourceTree.text("Sources/Handbook.docc/Handbook.md"))
        #expect(files.count > 200)
        #expect(Self.violations(in: text, of: files) == [])
    }

    @Test(
        "a decision that is missing, doubled, strange or out of place is seen, and an empty topic",
        arguments: [
            "### Decisions: a\n\n- <doc:0001-a>",
            "### Decisions: a\n\n- <doc:0001-a>\n- <doc:0002-b>\n- <doc:0002-b>",
            "### Decisions: a\n\n- <doc:0001-a>\n- <doc:0002-b>\n- <doc:0003-c>",
            "### Decisions: a\n\n- <doc:0002-b>\n- <doc:0001-a>",
            "### Decisions: a\n\n- <doc:0001-a>\n- <doc:0002-b>\n\n### Decisions: b",
            "### Guides\n\n- <doc:0001-a>\n\n### Decisions: a\n\n- <doc:0002-b>",
        ]
    )
    func seesABadSample(_ text: String) {
        #expect(Self.violations(in: text, of: ["0001-a", "0002-b"]).count == 1)
    }

    @Test("topics of their own, and lists of other pages, are free") func passesAGoodSample() {
        let text = """
            ### Guides

            - <doc:Guide>

            ### Decisions: a

            - <doc:0002-b>

            ### Decisions: b

            - <doc:0001-a>
            - <doc:0003-c>
            """
        #expect(Self.violations(in: text, of: ["0001-a", "0002-b", "0003-c"]) == [])
    }

    private static func violations(in text: String, of files: [String]) -> [String] {
        let topics = Self.topics(of: text)
        let listed = topics.flatMap(\.pages)
        var found: [String] = []
        for file in files {
            let count = listed.filter { $0 == file }.count
            if count != 1 { found.append("\(file) is listed \(count) times") }
        }
        for topic in topics {
            let isOfDecisions = topic.heading.hasPrefix("Decisions: ")
            if isOfDecisions, topic.pages.isEmpty { found.append("\(topic.heading) is empty") }
            if isOfDecisions, topic.pages != topic.pages.sorted() {
                found.append("\(topic.heading) is not in order")
            }
            for page in topic.pages where files.contains(page) != isOfDecisions {
                found.append("\(page) is below \(topic.heading)")
            }
        }
        return found
    }

    /// The headings of the third level, each with the links of the list below it.
    private static func topics(of text: String) -> [Topic] {
        var topics: [Topic] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("### ") {
                topics.append(Topic(heading: String(line.dropFirst(4)), pages: []))
            } else if let link = line.wholeMatch(of: /- <doc:([^>]+)>/), !topics.isEmpty {
                topics[topics.count - 1].pages.append(String(link.output.1))
            }
        }
        return topics
    }
}
