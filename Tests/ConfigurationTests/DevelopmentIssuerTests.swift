import Configuration
import Issuing
import Testing

@Suite("The issuer of a project in insecure development") struct DevelopmentIssuerTests {
    @Test(
        "is a name of this machine",
        arguments: [
            ("https://auth.localhost", true), ("https://bank.test", true),
            ("https://127.0.0.1:8443", true), ("https://auth.example.com", false),
            ("https://192.168.1.2", false), ("https://localhost.example.com", false),
        ]
    )
    func issuer(_ issuer: String, _ isServed: Bool) throws {
        let text = ProjectDocumentTests.minimal("spa")
            .replacing("https://auth.example.com", with: issuer)
        let document = Array(text.utf8)
        _ = try ProjectDocument().readInForce(document)
        let development = ProjectDocument(isInsecureDevelopment: true)
        for isInForce in [false, true] {
            var lines: [String] = []
            do throws(ProjectFindings) {
                _ =
                    isInForce
                    ? try development.readInForce(document) : try development.read(document)
            } catch {
                lines = error.lines
                #expect(error.isAboutOrigin)
            }
            let start = "http.public_origin: \(issuer) is no name of this machine"
            #expect(lines.isEmpty == isServed)
            #expect(lines.allSatisfy { $0.hasPrefix(start) }, "\(lines)")
        }
    }

    @Test(
        "is what a refusal is about, where it is wrong itself",
        arguments: [("http://auth.localhost", true), ("https://auth.localhost", false)]
    )
    func about(_ issuer: String, _ isAbout: Bool) {
        let text = ProjectDocumentTests.minimal("spa")
            .replacing("https://auth.example.com", with: issuer)
        let document = Array("\(text)colour: red\n".utf8)
        let findings = #expect(throws: ProjectFindings.self) {
            try ProjectDocument().read(document)
        }
        #expect(findings?.isAboutOrigin == isAbout)
    }
}
