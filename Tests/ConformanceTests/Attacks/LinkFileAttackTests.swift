import EventFormat
import Foundation
import TestSupport
import Testing

/// Attacks on the files by which phones learn which app opens a link, and by the app that a phone
/// was told to open (Security 4.7).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks on universal links", .serialized, .timeLimit(.minutes(3)))
struct LinkFileAttackTests {
    /// What an administrator of a client might write, to speak for another client's links.
    struct Row: Sendable {
        let sentence: String
        /// In place of `client_id: asking`.
        let lines: String
        /// The end of the setting's path that is refused.
        let setting: String

        init(_ sentence: String, _ app: String, _ setting: String) {
            self.sentence = sentence
            lines = "client_id: asking\n      universal_link: {\(app)}"
            self.setting = ".universal_link.\(setting)"
        }

        init(_ sentence: String, named name: String) {
            self.sentence = sentence
            lines = "client_id: \"\(name)\""
            setting = ".client_id"
        }
    }

    private static let paths = [
        "/.well-known/apple-app-site-association", "/.well-known/assetlinks.json",
    ]
    private static let pair = Array(repeating: "14", count: 32).joined(separator: ":")

    private static let rows = [
        Row(
            "a bundle id that goes on with paths",
            #"ios: {enabled: true, bundle_id: "a.b\",\"paths\":[\"*\"],\"x\":\"b"}"#,
            "ios.bundle_id"
        ),
        Row(
            "a bundle id of two lines",
            #"ios: {enabled: true, bundle_id: "com.example\n.asking"}"#,
            "ios.bundle_id"
        ),
        Row(
            "a team id that ends the text",
            #"ios: {enabled: true, bundle_id: com.example.asking, team_id: "A1B2C3D\",\""}"#,
            "ios.team_id"
        ),
        Row(
            "a package that begins another entry",
            #"android: {enabled: true, bundle_id: "a.b\"}},{\"relation\":[\"*\"]", "#
                + "sha_signature: \"\(pair)\"}",
            "android.bundle_id"
        ),
        Row(
            "a fingerprint that is followed by another's",
            "android: {enabled: true, bundle_id: com.example.asking, "
                + "sha_signature: \"\(pair)\\\",\\\"\(pair)\"}",
            "android.sha_signature"
        ),
        Row("a name that is every client's", named: "*"),
        Row("a name that leads to another client", named: "../app"),
        Row("a name that a browser leaves out of the path", named: "."),
        Row("a name that takes the path before it along", named: ".."),
        Row("a name with a path of its own", named: "app/flows/verify_login_link?token="),
        Row("a name that ends the text", named: #"asking\",\"/clients/app"#),
    ]

    private static func files(_ site: Site, at node: Int) async throws -> [String] {
        var texts: [String] = []
        for path in paths {
            texts.append(try await site.send(WireRequest("GET", path), at: node).text)
        }
        return texts
    }

    @Test("attack: JSON injection: what would speak for another client's links is refused")
    func injection() async throws {
        let project = try await TestProject.named("linked")
        let site = project.site
        let before = try await Self.files(site, at: 0)
        let race = try Race(at: project)
        for row in Self.rows {
            let answer = try await project.changing("client_id: asking", to: row.lines)
            #expect(answer.outcome == "400 ValidationFailed", "\(row.sentence): \(answer.text)")
            let info = answer.object("error")?["info"] as? [String: Any]
            let causes = info?["causes"] as? [[String: Any]] ?? []
            let found = causes.compactMap { $0["location"] as? String }
            #expect(found.contains { $0.hasSuffix(row.setting) }, "\(row.sentence): \(found)")
        }
        #expect(try race.events() == [:])
        for node in site.nodes.indices {
            #expect(try await Self.files(site, at: node) == before)
        }
    }

    @Test("a client's entries are of its own path, at every node") func own() async throws {
        let project = try await TestProject.named("linked")
        let site = project.site
        try await project.change(
            "client_id: open-guest",
            to: """
                client_id: open-guest
                      universal_link:
                        ios:
                          enabled: true
                          bundle_id: com.example.open-guest
                          team_id: A1B2C3D4E5
                        android:
                          enabled: true
                          bundle_id: com.example.open_guest
                          sha_signature: "\(Self.pair)"
                """
        )
        let apple =
            #"{"applinks":{"details":[{"appID":"A1B2C3D4E5.com.example.open-guest","#
            + #""paths":["/clients/open-guest/flows/verify_login_link"]}]}}"#
        let android =
            #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"#
            + #""namespace":"android_app","package_name":"com.example.open_guest","#
            + #""sha256_cert_fingerprints":["\#(Self.pair)"]}}]"#
        for node in site.nodes.indices {
            try await Waiting.until("node \(node) has heard of the app") {
                try await Self.files(site, at: node) == [apple, android]
            }
        }
    }

    @Test("attack: another app of this host claims a login's link: it has the link, and no more")
    func claimed() async throws {
        let site = try await TestProject.named("linked").site
        for (client, outcome) in [("app", "200"), ("denying", "403 LoginLinkApprovalDenied")] {
            let email = "claimed-\(UUID().uuidString.prefix(12).lowercased())@example.com"
            let login = try await LoginPage(
                at: site.origin,
                host: site.authority,
                email: email,
                client: client
            )
            let mail = try await MailBox(page: site.mailPage).newestLink(to: email)
            let link = String(mail.dropFirst(site.origin.count))
            // By the path that is the other app's, and as the phone was told to open it.
            let misled = link.replacing("/clients/\(client)/", with: "/clients/stranger/")
            let refused = try await site.send(WireRequest("POST", misled))
            #expect(refused.outcome == "403 InvalidLoginLink", "\(client)")
            #expect(try await site.send(WireRequest("POST", link)).outcome == outcome)
            // What came of it is told, and given, to the browser that asked, and to nobody else.
            let status = WireRequest("GET", "/login/status?tx=\(login.tx)")
            #expect(try await site.send(status).outcome == "404 NotFound")
            let page = WireRequest("GET", "/login/wait?tx=\(login.tx)")
            #expect(try await site.send(page).status == 404)
            var browser = login.browser
            let said = try await browser.send("GET", status.target).result("status")
            #expect(said == (outcome == "200" ? "approved" : "pending"))
        }
    }
}
