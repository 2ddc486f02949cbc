import Domain
import InMemory
import TestSupport
import Testing
import WebAPI

@Suite("The cookie of a login") struct SessionCookieTests {
    @Test("is kept for the life that the document gives to a login") func life() async throws {
        var side = try await PageSide()
        side.side.reconfigure { settings in
            settings.sessionLifetimeSeconds = 7200
            settings.sessionIdleSeconds = 600
        }
        let (page, link) = try await side.askForMail()
        let fallback = await side.get(link)
        let approval = await side.get(try #require(fallback.location))
        let form = "\(approval.fields)&action=approve"
        #expect(await side.post("/flows/verify_login_link", form).status == 303)
        let done = await side.post("/login/complete", page.fields)
        let cookie = try #require(
            done.field("set-cookie").first { $0.hasPrefix("__Host-chancery_session=") }
        )
        #expect(cookie.hasSuffix("; Path=/; Max-Age=7200; Secure; HttpOnly; SameSite=Lax"))
    }
}
