import Domain
import HTTPServer
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

    @Test("of an open request is found behind 63 others, and counts as none when it comes twice")
    func among() async throws {
        var side = try await PageSide()
        let (page, _) = try await side.askForMail()
        let tx = try #require(page.fields.split(separator: "&").first)
        let own = try #require(side.cookies.keys.first { $0.hasPrefix("__Host-chancery_tx_") })
        func others(_ count: Int) -> String {
            (0..<count).map { "__Host-chancery_tx_x\($0)=v" }.joined(separator: ";")
        }
        let rows: [(String, Int)] = [
            (others(63), 200), (others(64), 404), ("\(own)=v", 404), (own, 200),
            ("\(own)=; \(others(2)); \(own)", 404), ("\(others(40)); \(others(40))", 200),
        ]
        for (sent, status) in rows {
            let answer = await side.send(.get, "/login/wait?\(tx)", [("cookie", sent)])
            #expect(answer.status == status, "\(sent)")
        }
    }
}
