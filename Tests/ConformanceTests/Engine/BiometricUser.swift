import Foundation
import TestSupport

/// Somebody with full access, whose app keeps a biometric key (WireContract 5.5).
struct BiometricUser {
    let person: Person
    let client: String
    /// The session that sets keys up.
    let session: WireAnswer
    let kid = UUID().uuidString
    let finger: PhoneKey
    var site: Site { person.site }

    /// What a session needs that sets keys up.
    private static let fullAccess =
        "openid offline_access https://authgear.com/scopes/full-access"

    init(at site: Site, _ client: String = "app", by finger: PhoneKey? = nil) async throws {
        self.client = client
        self.finger = if let finger { finger } else { try PhoneKey("ES256") }
        var person = Person(at: site)
        let scope = client == "app" ? Person.everything : Self.fullAccess
        session = try await person.session(client, scope: scope)
        self.person = person
    }

    /// One whose key is set up.
    static func enrolled(at site: Site, _ client: String = "app", by finger: PhoneKey? = nil)
        async throws -> Self
    {
        let user = try await Self(at: site, client, by: finger)
        let answer = try await site.send(try await user.setup(user.finger, user.kid))
        guard answer.status == 200 else {
            throw SignIn.Failed(description: "no key: \(answer.status) \(answer.text)")
        }
        return user
    }

    /// `challenge`: else a fresh one.
    func setup(
        _ key: PhoneKey,
        _ kid: String,
        challenge: String? = nil,
        _ more: [String: String] = [:]
    ) async throws -> WireRequest {
        let jwt = try await jwt("setup", key, kid, challenge: challenge, more)
        return .bearing(
            session.member("access_token"),
            "POST",
            "/oauth2/token",
            SignIn.form(GrantForm.biometric(jwt, of: client))
        )
    }

    /// By the key that was set up, or by another one in its name; `options` as in a script.
    func login(
        challenge: String? = nil,
        by key: PhoneKey? = nil,
        at site: Site? = nil,
        of client: String? = nil,
        saying options: [String: String] = [:],
        _ more: GrantForm.Fields = []
    ) async throws -> WireRequest {
        let jwt = try await jwt(
            "authenticate",
            key ?? finger,
            kid,
            challenge: challenge,
            at: site,
            ["jwk": "no"].merging(options) { $1 }
        )
        return .token(GrantForm.biometric(jwt, more, of: client ?? self.client))
    }

    /// A login that lets another app in.
    func approval(
        challenge: String? = nil,
        of target: String = "invest",
        _ more: [String: String] = [:]
    ) async throws -> WireRequest {
        let jwt = try await jwt(
            "authenticate_app2app",
            finger,
            kid,
            challenge: challenge,
            ["claim.client_id": target].merging(more) { $1 }
        )
        return .token(GrantForm.biometric(jwt, GrantForm.link(to: target), of: client))
    }

    func removal() -> WireRequest {
        .bearing(session.member("access_token"), "DELETE", "/api/v1/biometric_keys/\(kid)")
    }

    /// How many mails told the user of a key.
    func mails() async throws -> Int {
        let box = MailBox(page: site.mailPage)
        return try await box.texts(to: person.email, subject: "New sign-in method").count
    }

    private func jwt(
        _ action: String,
        _ key: PhoneKey,
        _ kid: String,
        challenge: String?,
        at site: Site? = nil,
        _ more: [String: String] = [:]
    ) async throws -> String {
        let site = site ?? self.site
        let fresh =
            if let challenge { challenge } else { try await site.challenge(.biometric) }
        let own = ["claim.action": action, "header.kid": kid]
        return try key.jwt(.biometric, challenge: fresh, own.merging(more) { $1 })
    }
}
