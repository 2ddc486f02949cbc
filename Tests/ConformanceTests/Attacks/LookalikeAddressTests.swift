import EventFormat
import Foundation
import TestSupport
import Testing

/// Who asks for a login by an address that people, or mail servers, take for somebody's
/// (Security 4.6).
@Suite("Lookalike addresses", .timeLimit(.minutes(3))) struct LookalikeAddressTests {
    /// What looks like `name@example.com`, or is taken for it by some.
    private static func lookalikes(of email: String) -> [(sentence: String, email: String)] {
        let name = email.components(separatedBy: "@")[0]
        let (at, rest) = ("@example.com", name.dropFirst())
        return [
            ("a Cyrillic letter", "\u{440}\(rest)\(at)"),
            ("a letter of full width", "\u{FF50}\(rest)\(at)"),
            ("an accent beside its letter", "\(name)\u{301}\(at)"),
            ("a blank of no width", "\(name)\u{200B}\(at)"),
            ("a mark that turns the reading round", "\u{202E}\(name)\(at)"),
            ("a sign of full width", "\(name)\u{FF20}example.com"),
            ("a Cyrillic letter in the domain", "\(name)@\u{435}xample.com"),
            ("a hyphen that is not shown", "\(name)@exam\u{AD}ple.com"),
            ("an ideographic stop", "\(name)@example\u{3002}com"),
            ("a dot behind the domain", "\(email)."),
            ("quotes", "\"\(name)\"\(at)"), ("a comment", "\(name)(it's me)\(at)"),
            ("angle brackets", "<\(email)>"), ("a name before it", "Somebody <\(email)>"),
            ("a scheme", "mailto:\(email)"), ("a blank inside", "\(name) \(at)"),
            ("two signs", "\(name)@evil.example\(at)"),
            ("two addresses", "\(email),evil@evil.example"),
            ("two lines", "\(email)\r\nBcc: evil@evil.example"),
            ("a NUL behind it", "\(email)\u{0}"),
            ("too many bytes", String(repeating: "a", count: 64) + "." + email),
        ]
    }

    @Test("attack: lookalike addresses: none is an address, and one user has one of them")
    func addresses() async throws {
        let project = try await TestProject.named("lookalike")
        let site = project.site
        var person = Person(at: site)
        let session = try await person.session()
        let box = MailBox(page: site.mailPage)
        let before = Set(try await box.links(to: person.email))
        let form = try await LoginForm(at: site.origin, host: site.authority)
        let race = try Race(at: project)
        for (sentence, email) in Self.lookalikes(of: person.email) {
            let answer = try await form.posted(email).answer
            #expect(answer.status == 400, "\(sentence): \(answer.status)")
        }
        // No link was made, so nobody gets a mail.
        #expect(try race.events() == [:])
        // Blanks around it, and the case of its domain, make no other user of it.
        let written = " \t" + person.email.replacing("@example.com", with: "@EXAMPLE.Com") + " "
        let asked = try await form.posted(written)
        #expect(asked.answer.status == 303, "\(asked.answer.text)")
        let link = try await box.newestLink(to: person.email, except: before)
        let approval = WireRequest("POST", String(link.dropFirst(site.origin.count)))
        #expect(try await site.send(approval).status == 200)
        let code = try await Self.code(asked.page)
        let again = try await site.token(GrantForm.code(code))
        let subject = try #require(session.claim("sub", of: "access_token"))
        #expect(again.claim("sub", of: "access_token") == subject)
        #expect(try race.events()[.subjectRegistered] == nil)
    }

    /// Presses the button of the waiting page.
    private static func code(_ page: LoginPage) async throws -> String {
        var browser = page.browser
        let waiting = try await browser.send("GET", "/login/wait?tx=\(page.tx)")
        let fields = [("tx", page.tx), ("form_token", SignIn.field("form_token", waiting))]
        let answer = try await browser.post("/login/complete", fields)
        let items = answer["location"].flatMap { URLComponents(string: $0) }?.queryItems
        return try #require(items?.first { $0.name == "code" }?.value, "\(answer.text)")
    }
}
