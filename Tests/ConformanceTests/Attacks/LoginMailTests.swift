import Foundation
import TestSupport
import Testing

/// Attacks on the mail of a login (Security 4.6).
@Suite("Attacks on login mails", .timeLimit(.minutes(3))) struct LoginMailTests {
    /// What tells some servers by which name they are known.
    static let headers = ["X-Forwarded-Host", "X-Forwarded-Server", "X-Host", "Forwarded"]

    @Test(
        "attack: a login is asked for under a name of the attacker's: the mail's link is ours",
        arguments: headers
    )
    func poisoned(_ header: String) async throws {
        let site = Site(try RunningStack.running())
        let foreign = "evil.example"
        let email = "poisoned-\(UUID().uuidString.prefix(12).lowercased())@example.com"
        var browser = site.browser()
        let said = header == "Forwarded" ? "host=\(foreign);proto=https" : foreign
        let poison = [(name: header, value: said)]
        let query = SignIn.form([
            ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
            ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
            ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
        ])
        let start = try await browser.send("GET", "/oauth2/authorize?\(query)", headers: poison)
        let target = try #require(start["location"])
        #expect(target.hasPrefix("/login?tx="), "\(target)")
        let page = try await browser.send("GET", target, headers: poison)
        let form = SignIn.form([
            ("tx", SignIn.field("tx", page)), ("form_token", SignIn.field("form_token", page)),
            ("email", email),
        ])
        // Under a name that is nobody's here nothing is done.
        let origins = [(name: "Origin", value: site.origin)]
        let misnamed = origins + [(name: "Host", value: foreign)]
        let refused = try await browser.send("POST", "/login", headers: misnamed, body: form)
        #expect(refused.status == 421, "\(refused.text)")
        let sent = try await browser.send("POST", "/login", headers: origins + poison, body: form)
        #expect(sent.status == 303, "\(sent.text)")
        #expect(sent["location"]?.hasPrefix("/login/wait?tx=") == true)
        let mails = try await MailBox(page: site.mailPage).texts(to: email, subject: "")
        #expect(mails.count == 1)
        for mail in mails {
            #expect(mail.contains("\(site.origin)/"), "\(mail)")
            #expect(!mail.contains(foreign), "\(mail)")
        }
    }
}
