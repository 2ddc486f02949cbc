import Domain
import Foundation
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A browser at the settings, over twins in memory.
struct SettingsSide {
    static let path = "/settings"
    static let ours = [("origin", PageSide.origin)]

    let web: WebSide
    /// The `Cookie` header; empty: none.
    var cookie: String

    /// The browser that the user signed in with.
    init(_ web: WebSide) {
        self.web = web
        let value = String(decoding: web.side.browserCookie.text, as: UTF8.self)
        cookie = "__Host-chancery_session=\(value)"
    }

    /// One that an app opened with its token, and that app's refresh token.
    static func openedByApp(_ web: WebSide) async throws -> (SettingsSide, refresh: String) {
        let (refresh, token) = try await AppSessionTokenTests.tokens(web)
        let opened = try await AppSessionTokenTests.open(web, token)
        var side = SettingsSide(web)
        side.cookie = String(try #require(opened.field("Set-Cookie").first).prefix { $0 != ";" })
        return (side, refresh)
    }

    func get(_ target: String = path) async throws -> Answer {
        try await web.send(.get, target, fields: cookie.isEmpty ? [] : [("cookie", cookie)])
    }

    func post(_ form: String, _ headers: [(String, String)] = ours) async throws -> Answer {
        var fields = headers + [("content-type", WebSide.form)]
        if !cookie.isEmpty { fields.append(("cookie", cookie)) }
        return try await web.send(.post, Self.path, fields: fields, body: Array(form.utf8))
    }

    /// The forms of the page, ready to be posted, by what they are about; `""`: all others.
    func forms() async throws -> [String: String] {
        let page = try await get()
        try #require(page.status == 200, "\(page.body)")
        return Self.forms(page)
    }

    static func forms(_ page: Answer) -> [String: String] {
        var forms: [String: String] = [:]
        for form in page.body.components(separatedBy: "<form ").dropFirst() {
            var fields: [(String, String)] = []
            for field in form.components(separatedBy: "name=\"").dropFirst() {
                let name = String(field.prefix { $0 != "\"" })
                let value = field.components(separatedBy: "value=\"").dropFirst().first ?? ""
                fields.append((name, String(value.prefix { $0 != "\"" })))
            }
            let about = fields.first { ["sid", "kid", "client_id"].contains($0.0) }?.1 ?? ""
            forms[about] = fields.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        }
        return forms
    }

    /// The `sid` of an app's session.
    func sid(_ session: Answer) throws -> String {
        let token = try #require(session["refresh_token"]?.string)
        let digester = web.side.digester
        return try #require(RefreshToken(reading: Array(token.utf8), digester: digester))
            .session.description
    }

    /// Somebody else, with a session of an app.
    static func stranger(_ web: WebSide) async throws -> Answer {
        let mallory = SubjectID(Sample.stream(0x51))
        let key = try await web.side.sealer.key(
            mallory.stream,
            of: web.side.project.number,
            by: Fixture.noDeadline
        )
        let email = key.seal(Array("mallory@example.com".utf8), as: .email(of: mallory))
        try await web.side.run(Subject.self, mallory.stream) {
            .register(
                source: .loginLink,
                email: email,
                emailVerified: true,
                at: web.side.clock.now
            )
        }
        let code = try await web.side.code(scope: AppSessionTokenTests.scope, of: mallory)
        return try await DeviceKeyTests.redeem(web, code: code, jwt: nil, client: "app")
    }
}
