import Configuration
import Domain
import Issuing
import Testing

@Suite("A document that was taken before") struct DocumentInForceTests {
    @Test("a rule that came later warns of what is in force, and refuses it at the next change")
    func laterRule() throws {
        let text = ProjectDocumentTests.minimal(
            "traditional_webapp",
            """
                  x_pre_authenticated_url_enabled: true
                  require_pushed_authorization_requests: true
            """
        )
        let bytes = Array(text.utf8)
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(bytes) }
        let client = try ProjectDocument().readInForce(bytes).clients.first
        #expect(client?.requiresPushedRequests == true)
        let path = "oauth.clients[0].x_pre_authenticated_url_enabled"
        #expect(ProjectDocument().cautions(in: bytes).contains { $0.hasPrefix("\(path): contra") })
        // Nothing else is let pass.
        let spoilt = Array(text.replacing("oauth:", with: "oauth_: 1\noauth:").utf8)
        #expect(throws: ProjectFindings.self) { try ProjectDocument().readInForce(spoilt) }
    }

    @Test("hosts are read of a document that is otherwise refused") func hosts() throws {
        let text = ProjectDocumentTests.minimal("native", "      no_such_key: 1")
        #expect(throws: ProjectFindings.self) { try ProjectDocument().read(Array(text.utf8)) }
        #expect(ProjectDocument().hosts(in: Array(text.utf8)) == ["auth.example.com"])
        #expect(ProjectDocument().hosts(in: Array("[".utf8)).isEmpty)
    }
}
