import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// `client_credentials` (WireContract 5.9) of clients whose tokens are bound (6.4).
@Suite("Tokens of services") struct ServiceTokenTests {
    private static let secret = ("authorization", "Basic YXBpOmEtc2VjcmV0")
    private static let form = "grant_type=client_credentials"

    private func bound() async throws -> WebSide {
        let web = try await WebSide()
        var settings = web.side.project.settings
        let index = try #require(settings.clients.firstIndex { $0.id.text == "api" })
        settings.clients[index].dpop = .bound
        try await web.side.apply(settings)
        return web
    }

    @Test("a bound client's token is bound to the key of its proof") func binds() async throws {
        let web = try await bound()
        let phone = try Phone()
        let answer = try await web.post(
            "/oauth2/token",
            Self.form,
            ["authorization": Self.secret.1, "dpop": DPoPTests.proof(phone, "1")]
        )
        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer["token_type"]?.string == "DPoP")
        let token = try #require(answer["access_token"]?.string)
        #expect(web.claims(of: token)?.confirmation != nil)
        // As Bearer it is worth nothing.
        let bare = try await web.send(
            .get,
            "/oauth2/userinfo",
            headers: ["authorization": "Bearer \(token)"]
        )
        #expect(bare.status == 401)
    }

    @Test("a request that is refused uses no proof up: mended, it is sent again with the same one")
    func refused() async throws {
        let web = try await bound()
        let proof = try DPoPTests.proof(Phone(), "1")
        func ask(_ more: String) async throws -> Answer {
            try await web.post(
                "/oauth2/token",
                Self.form + more,
                ["authorization": Self.secret.1, "dpop": proof]
            )
        }
        for (more, error) in [
            ("&scope=openid", "invalid_scope"),
            ("&resource=https://nowhere.example", "invalid_target"),
        ] {
            let answer = try await web.expectNothingRecorded(more) { try await ask(more) }
            #expect(answer.error == error, "\(answer.body)")
        }
        #expect(try await ask("").status == 200)
        #expect(try await ask("").error == "invalid_dpop_proof")
    }

    @Test("a service's token is for the APIs it names, and for the issuer when it names none")
    func audience() async throws {
        let web = try await WebSide()
        let (api, payments) = ("https://api.example.com", "https://payments.example.com")
        var settings = web.side.project.settings
        settings.resources.append(.init(uri: payments, scopes: []))
        try await web.side.apply(settings)
        for (more, audience) in [
            ("", ["https://auth.example.com"]), ("&resource=\(payments)", [payments]),
            ("&resource=\(payments)&resource=\(api)", [api, payments]),
        ] {
            let answer = try await web.post(
                "/oauth2/token",
                Self.form + more,
                ["authorization": Self.secret.1]
            )
            #expect(web.claims(of: answer)?.audience == audience, "\(answer.body)")
        }
    }

    @Test("without a proof it gets none; a client that is not bound gets a bearer token")
    func proofs() async throws {
        let web = try await bound()
        let none = try await web.post(
            "/oauth2/token",
            Self.form,
            ["authorization": Self.secret.1]
        )
        #expect(none.error == "invalid_dpop_proof")
        let plain = try await WebSide()
        let answer = try await plain.post(
            "/oauth2/token",
            Self.form,
            ["authorization": Self.secret.1]
        )
        #expect(answer["token_type"]?.string == "Bearer")
    }

    @Test("a node that has not heard of the newest configuration reads it, and answers")
    func newConfiguration() async throws {
        let web = try await WebSide()
        let behind = try #require(web.side.projects.project(id: web.side.project.settings.id))
        var settings = behind.settings
        settings.name = "Another name"
        try await web.side.apply(settings)
        let newest = try #require(web.side.projects.project(id: settings.id))
        web.side.projects.replace(behind)
        web.side.projects.replaceLater(newest)
        let answer = try await web.post(
            "/oauth2/token",
            Self.form,
            ["authorization": Self.secret.1]
        )
        #expect(answer.status == 200, "\(answer.body)")
    }
}
