import Configuration
import Domain
import Testing

@Suite("Grant types by the kind of a client") struct GrantTypesTests {
    /// Whether it may ask for ID tokens, be let in by another app, exchange, log in by a key.
    static let rows: [(String, [Bool])] = [
        ("native", [true, true, true, true]), ("spa", [true, true, true, false]),
        ("third_party_app", [true, true, false, false]),
        ("confidential", [false, false, true, false]),
    ]

    @Test("an app of another vendor has those of a public one, but for exchanges", arguments: rows)
    func byType(_ row: (type: String, may: [Bool])) throws {
        let text = ProjectDocumentTests.minimal(row.type)
        let names = try ProjectDocumentTests.read(text).clients[0].grantTypes
        let authgear = "urn:authgear:params:oauth:grant-type:"
        let asked = [
            "\(authgear)id-token", "\(authgear)app2app",
            "urn:ietf:params:oauth:grant-type:token-exchange", "\(authgear)biometric-request",
        ]
        #expect(asked.map(names.contains) == row.may)
    }
}
