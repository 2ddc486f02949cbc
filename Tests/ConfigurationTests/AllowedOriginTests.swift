import Configuration
import Domain
import TestSupport
import Testing

/// `http.allowed_origins`: pages of the web, and those of an app's own web view (decision 0171).
@Suite("Allowed origins") struct AllowedOriginTests {
    private static let rows = [
        ("https://a.example", true), ("https://a.example:8443", true),
        ("capacitor://localhost", true), ("ionic://localhost", true),
        ("com.example.bank://app-1.local", true), ("http://a.example", false),
        ("https://a.example/", false), ("capacitor://localhost/", false), ("capacitor:/", false),
        ("capacitor://", false), ("capacitor://a:1", false), ("capacitor://a@b", false),
        ("Capacitor://localhost", false), ("capacitor://LOCALHOST", false), ("file://x", false),
        ("data://x", false), ("null", false), ("a://b://c", false), ("capacitor://*", false),
    ]

    @Test(arguments: rows) func areTakenInTheirOneSpelling(_ origin: String, _ isTaken: Bool) {
        let text = ProjectDocumentTests.minimal("native").replacing(
            #"{public_origin: "https://auth.example.com"}"#,
            with: #"{public_origin: "https://auth.example.com", allowed_origins: ["\#(origin)"]}"#
        )
        let settings = try? ProjectDocumentTests.read(text)
        #expect(settings?.allowedOrigins == (isTaken ? [origin] : nil))
    }
}
