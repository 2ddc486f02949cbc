import Foundation
import TestSupport

/// Somebody who signs in at a site, with a browser that stays signed in: only the first code
/// costs a mail.
struct Person {
    /// All that the first app may ask for.
    static let everything =
        "openid offline_access device_sso https://authgear.com/scopes/full-access"
        + " https://authgear.com/scopes/pre-authenticated-url"

    let site: Site
    let email = "person-\(UUID().uuidString.prefix(12).lowercased())@example.com"
    private(set) var browser: Browser

    init(at site: Site) {
        self.site = site
        browser = site.browser()
    }

    /// A code; `more` parameters go to the authorization endpoint.
    mutating func code(
        _ client: String = "app",
        scope: String = "openid offline_access",
        _ more: [(String, String)] = []
    ) async throws -> String {
        var signIn = SignIn(
            mailPage: site.mailPage,
            client: client,
            scope: scope,
            email: email
        )
        signIn.more = more
        return try await signIn.code(&browser)
    }

    /// So many codes, each a moment younger than the one before.
    mutating func codes(
        _ count: Int,
        scope: String = "openid offline_access",
        _ more: [(String, String)] = []
    ) async throws -> [String] {
        var codes: [String] = []
        for _ in 0..<count { codes.append(try await code(scope: scope, more)) }
        return codes
    }

    /// The tokens of a new session; `more` parameters go to the token endpoint.
    mutating func session(
        _ client: String = "app",
        scope: String = "openid offline_access",
        _ more: [(String, String)] = [],
        proof: String? = nil
    ) async throws -> WireAnswer {
        let code = try await code(client, scope: scope)
        let answer = try await site.token(GrantForm.code(code, of: client, more), proof: proof)
        guard answer.status == 200 else {
            throw SignIn.Failed(description: "no tokens: \(answer.status) \(answer.text)")
        }
        return answer
    }

    /// A session with a device key.
    mutating func session(on phone: PhoneKey, _ client: String = "app") async throws -> WireAnswer {
        let jwt = try await site.signed(by: phone, .app2app)
        return try await session(client, [("x_app2app_device_key_jwt", jwt)])
    }

    /// A code that renews a session of `app`, by one more mail (WireContract 4.5).
    mutating func renewal(of session: WireAnswer) async throws -> String {
        let hint = session.member("id_token") ?? ""
        return try await code(scope: "openid", [("id_token_hint", hint), ("max_age", "0")])
    }
}
