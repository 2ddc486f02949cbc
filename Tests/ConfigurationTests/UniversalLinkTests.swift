import Configuration
import Domain
import Issuing
import Testing

/// The apps of `universal_link` (WireContract 3.2); what is refused of them at any time is with the
/// other features of a client.
@Suite("The apps that open a client's links") struct UniversalLinkTests {
    private static func document(_ link: String) -> [UInt8] {
        Array(ProjectDocumentTests.minimal("native", "      universal_link: \(link)").utf8)
    }

    private static func android(_ package: String, _ signature: String) -> [UInt8] {
        let app = "enabled: true, bundle_id: \(package), sha_signature: \(signature)"
        return document("{android: {\(app)}}")
    }

    @Test(
        "are named as their platform names apps",
        arguments: ["com.example.my_app", "com.example.App2", "a.b", "com.example.a_1"]
    )
    func named(_ package: String) throws {
        let bytes = Self.android(package, "\"\(Example.fingerprint)\"")
        let link = try ProjectDocument().read(bytes).clients.first?.universalLink
        #expect(link?.androidPackage == package)
        let ios = Self.document("{ios: {enabled: true, bundle_id: com.example.my-app}}")
        let other = try ProjectDocument().read(ios).clients.first?.universalLink
        #expect(other?.iosAppID == "com.example.my-app")
    }

    @Test(
        "stay until the next change where a later rule refuses them",
        arguments: [
            (
                "com.example.my-app", "[\"\(Example.fingerprint)\"]",
                "bundle_id: must be 3-155 letters, digits, `.` and `_`"
            ),
            (
                "com.example.app", "[]",
                "sha_signature: is required when enabled: 32 hexadecimal pairs joined by colons"
            ),
        ]
    )
    func inForce(_ package: String, _ signature: String, _ problem: String) throws {
        let bytes = Self.android(package, signature)
        let line = "oauth.clients[0].universal_link.android.\(problem)"
        let findings = #expect(throws: ProjectFindings.self) { try ProjectDocument().read(bytes) }
        #expect(findings?.lines == [line])
        let link = try ProjectDocument().readInForce(bytes).clients.first?.universalLink
        #expect(link?.androidPackage == package)
        #expect(ProjectDocument().cautions(in: bytes).contains(line))
    }

    @Test("and no other rule lets them stay", arguments: ["a/b", "com.example.my-app_", "ab"])
    func refused(_ package: String) {
        let bytes = Self.android(package, "\"\(Example.fingerprint)\"")
        #expect(throws: ProjectFindings.self) { try ProjectDocument().readInForce(bytes) }
    }
}
