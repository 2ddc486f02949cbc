import Configuration
import Testing

extension ProjectDocumentTests {
    @Test("that RS256 is dear is said with whom it is for") func signingAlgorithm() throws {
        let text = Self.minimal("native")
            .replacing("oauth:\n", with: "oauth:\n  signing_algorithm: RS256\n")
        let warnings = try ProjectDocument().warnings(Array(text.utf8))
        let signing = warnings.filter { $0.hasPrefix("oauth.signing_algorithm: ") }
        #expect(signing.count == 1, "\(warnings)")
        #expect(signing.first?.contains("for servers that verify no other") == true)
        let plain = try ProjectDocument().warnings(Array(Self.minimal("native").utf8))
        #expect(!plain.contains { $0.hasPrefix("oauth.signing_algorithm: ") })
    }
}
