import Configuration
import Domain
import Issuing
import OAuth
import Testing

/// Sections `listen` and `admin` (Security 10.2, WireContract 13.3).
@Suite("Listeners in a process's settings") struct ListenerSettingsTests {
    private static let digest = String(repeating: "ab", count: 32)
    private static let files =
        "tls_certificate_file: c, tls_key_file: k, tls_client_authorities_file: a"

    private static func admin(_ text: String) throws(ConfigurationError) -> AdminSettings {
        let document = try SettingsDocument(Array(text.utf8))
        let settings = AdminSettings(document.root)
        try document.finish()
        return settings
    }

    private static func listen(_ text: String) throws(ConfigurationError) -> ListenSettings {
        let document = try SettingsDocument(Array(text.utf8))
        let settings = ListenSettings(document.root)
        try document.finish()
        return settings
    }

    @Test("an operator is proved by a token, or by a certificate") func operators() throws {
        let settings = try Self.admin(
            """
            admin:
              listen: "10.0.0.5:9443"
              \(Self.files.replacing(", ", with: "\n  "))
              operators:
                - {name: ann, role: operate, certificate_sha256: \(Self.digest)}
                - {name: bob, token_sha256: \(Self.digest)}
            """
        )
        #expect(settings.operators.map(\.operatorName.name) == ["ann", "bob"])
        let bytes = [UInt8](repeating: 0xAB, count: 32)
        #expect(settings.operators.map(\.proof) == [.certificate(bytes), .token(bytes)])
        #expect(settings.clientAuthoritiesPath == "a" && settings.keyPath == "k")
    }

    static let refused: [(text: String, finding: String)] = [
        ("admin: {listen: \"10.0.0.5:9443\"}", "admin.listen: must be a loopback address, or"),
        (
            "admin: {listen: \"10.0.0.5:9443\", tls_certificate_file: c, tls_key_file: k}",
            "admin: tls_certificate_file, tls_key_file and tls_client_authorities_file come"
        ),
        (
            "admin: {operators: [{name: ann, certificate_sha256: \(digest)}]}",
            "admin.operators[0].certificate_sha256: the listener asks for no certificate"
        ),
        (
            "admin: {\(files), operators: [{name: ann, certificate_sha256: \(digest), "
                + "token_sha256: \(digest)}]}",
            "admin.operators[0].token_sha256: stands beside certificate_sha256"
        ),
        (
            "admin: {\(files), operators: [{name: ann, certificate_sha256: abc}]}",
            "admin.operators[0].certificate_sha256: must be 64 lower-case hexadecimal digits"
        ),
        (
            "admin: {operators: [{name: ann, token_sha256: \(digest)}, "
                + "{name: bob, role: read, token_sha256: \(digest)}]}",
            "admin.operators[1].token_sha256: appears twice"
        ),
        (
            "admin: {operators: [{name: ann, token_sha256: \(digest)}, "
                + "{name: ann, role: operate, token_sha256: \(String(digest.reversed()))}]}",
            "admin.operators[1].name: appears twice, with another role"
        ),
        (
            "admin: {operators: [{name: ann, token_sha256: \(Example.emptyDigest)}]}",
            "admin.operators[0].token_sha256: is the digest of an empty text"
        ),
        ("admin: {operators: [{name: ann}]}", "admin.operators[0].token_sha256: is required"),
        ("admin: {\(files)}", "admin.tls_certificate_file: needs admin.listen"),
        ("admin: {\(files)}", "admin.tls_key_file: needs admin.listen"),
        ("admin: {\(files)}", "admin.tls_client_authorities_file: needs admin.listen"),
    ]

    @Test("what cannot work is refused by name", arguments: refused)
    func refuses(_ row: (text: String, finding: String)) {
        do {
            _ = try Self.admin(row.text)
            Issue.record("taken")
        } catch { #expect(error.description.contains(row.finding), "\(error)") }
    }

    @Test("the header that names a place is one of trusted proxies") func place() throws {
        let text = "listen: {public: [\"127.0.0.1:1\"], trusted_proxies: [\"127.0.0.1\"], "
        let settings = try Self.listen(text + "place_header: X-Client-Place}")
        #expect(settings.placeHeader == "x-client-place")
        #expect(
            try Self.listen(text + "tls_key_file: k, tls_certificate_file: c}").placeHeader == nil
        )
    }

    @Test("an empty list of operators needs no listener")
    func noOperators() throws {
        #expect(try Self.admin("admin: {operators: []}").operators.isEmpty)
    }

    @Test(
        "of two addresses that are one, or of which one is all, the second is refused",
        arguments: [
            ("127.0.0.1:1", "127.0.0.1:1", true), ("0.0.0.0:1", "127.0.0.1:1", true),
            ("127.0.0.1:1", "0.0.0.0:1", true), ("[::]:1", "[::1]:1", true),
            ("0.0.0.0:1", "[::]:1", false), ("127.0.0.1:1", "127.0.0.1:2", false),
            ("127.0.0.1:0", "127.0.0.1:0", false), ("127.0.0.1:1", "127.0.0.2:1", false),
        ]
    )
    func overlapping(_ row: (first: String, second: String, isRefused: Bool)) {
        let addresses = "listen: {public: [\"\(row.first)\", \"\(row.second)\"]"
        do {
            _ = try Self.listen(addresses + ", trusted_proxies: [\"127.0.0.1\"]}")
            #expect(!row.isRefused)
        } catch {
            let finding = "\(row.first) takes \(row.second) already"
            #expect(row.isRefused && error.description.contains(finding), "\(error)")
        }
    }

    static let places: [(text: String, finding: String)] = [
        ("place_header: \"x place\", trusted_proxies: [unix]", "must be a header's name"),
        ("place_header: \"\", trusted_proxies: [unix]", "listen.place_header: "),
        ("place_header: Cookie, trusted_proxies: [unix]", "names a header with secrets"),
        ("place_header: x-place", "is believed of trusted_proxies only"),
        ("place_header: x-place, trusted_proxies: []", "is believed of trusted_proxies only"),
    ]

    @Test("a header that cannot be believed or shown is refused", arguments: places)
    func refusesPlace(_ row: (text: String, finding: String)) {
        do {
            _ = try Self.listen("listen: {public: [\"127.0.0.1:1\"], \(row.text)}")
            Issue.record("taken")
        } catch { #expect(error.description.contains(row.finding), "\(error)") }
    }
}
