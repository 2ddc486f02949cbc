import Configuration
import Foundation
import Testing

/// The project documents that the guides of the handbook show.
@Suite("A document of the guides") struct GuideExamplesTests {
    @Test(
        "is taken, and lets nobody approve a stranger's login by one tap",
        arguments: ["AuthgearApps", "AddAClient"]
    )
    func taken(_ guide: String) throws {
        let documents = try Self.documents(in: guide)
        #expect(documents.count == 1)
        for document in documents {
            let warnings = try ProjectDocument().warnings(Array(document.utf8))
            #expect(!warnings.contains { $0.contains("x_login_link_cross_device_approval") })
        }
    }

    /// What stands between fences and begins with an id: a part of a document does not.
    private static func documents(in guide: String) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Sources/Handbook.docc/\(guide).md"),
            encoding: .utf8
        )
        return page.components(separatedBy: "```yaml\n").dropFirst().compactMap { rest in
            let lines = rest.components(separatedBy: "\n").prefix { !$0.hasSuffix("```") }
            let indent = (lines.first ?? "").prefix { $0 == " " }.count
            let text = lines.map { String($0.dropFirst(indent)) }.joined(separator: "\n")
            return text.hasPrefix("id: ") ? text + "\n" : nil
        }
    }
}
