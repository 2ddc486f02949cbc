import EventFormat
import Foundation
import TestSupport
import Testing

/// Tokens of ours that somebody else signed, and those by a key that was given up (Security 3,
/// rule 8, and 4.9; WireContract 8.3 to 8.5 and 9.7).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Forged tokens", .serialized, .timeLimit(.minutes(3))) struct ForgedTokenTests {
    private static func session(_ project: TestProject) async throws -> WireAnswer {
        var person = Person(at: project.site)
        return try await person.session(scope: Person.everything)
    }

    private static func exchange(
        _ idToken: String?,
        _ session: WireAnswer,
        _ site: Site
    ) -> GrantForm.Fields {
        GrantForm.exchange(idToken, session.member("device_secret"), for: "invest", at: site)
    }

    /// Asks a browser that is not signed in for a login of the user whom a hint names.
    private static func login(_ hint: String?) -> WireRequest {
        let query = SignIn.form([
            ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
            ("redirect_uri", SignIn.redirectURIs["app"] ?? ""), ("prompt", "none"),
            ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
            ("id_token_hint", hint ?? ""),
        ])
        return WireRequest("GET", "/oauth2/authorize?\(query)")
    }

    private static func logout(_ hint: String?) -> WireRequest {
        WireRequest("GET", "/oauth2/end_session?\(SignIn.form([("id_token_hint", hint ?? "")]))")
    }

    private typealias Named = (sentence: String, request: WireRequest)

    /// Whether an access token opens nothing, at any node.
    private static func refuse(
        accessTokens tokens: [(sentence: String, token: String)],
        _ project: TestProject
    ) async throws {
        let site = project.site
        let idToken = SignIn.form([
            ("grant_type", "urn:authgear:params:oauth:grant-type:id-token"), ("client_id", "app"),
        ])
        let key = try PhoneKey("ES256")
        let options = ["claim.action": "setup", "header.kid": UUID().uuidString]
        let jwt = try await site.signed(by: key, .biometric, options)
        let setup = SignIn.form(GrantForm.biometric(jwt))
        let race = try Race(at: project)
        for (sentence, token) in tokens {
            let requests: [Named] = [
                ("\(sentence): who the user is", .bearing(token)),
                ("\(sentence): an id token", .bearing(token, "POST", "/oauth2/token", idToken)),
                ("\(sentence): a setup", .bearing(token, "POST", "/oauth2/token", setup)),
            ]
            try await project.refuse(requests: requests, as: "401 invalid_token")
            let sessions = WireRequest.bearing(token, "GET", "/api/v1/sessions")
            try await project.refuse(requests: [(sentence, sessions)], as: "401 Unauthenticated")
            for node in site.nodes.indices {
                let asked = try project.assertionForm("service") + [("token", token)]
                let told = try await site.send(
                    WireRequest("POST", "/oauth2/introspect", [], SignIn.form(asked)),
                    at: node
                )
                #expect(told.text == #"{"active":false}"#, "\(sentence)")
            }
        }
        // Each of the service's assertions is spent, and nothing else happens.
        #expect(try race.events().filter { $0.key != .spentSpent } == [:])
    }

    /// Whether an id token names nobody's session, at any node.
    private static func refuse(
        idTokens tokens: [(sentence: String, token: String)],
        of session: WireAnswer,
        _ url: WireAnswer,
        _ project: TestProject
    ) async throws {
        let site = project.site
        let form = tokens.map { ($0.sentence, exchange($0.token, session, site)) }
        try await project.refuse(form, as: "400 invalid_request")
        try await project.refuse(
            openings: tokens.flatMap { sentence, token -> [Named] in
                [
                    ("\(sentence): a login", login(token)),
                    ("\(sentence): a URL", .open(url: url.member("access_token"), hint: token)),
                ]
            },
            as: "error=invalid_request&"
        )
        // As without a hint: nobody is asked whether a session is to end.
        let logouts = tokens.map { (sentence: "\($0.sentence): a logout", logout($0.token)) }
        try await project.refuse(requests: logouts, as: "200")
    }

    @Test("attack: an access token without signature, or with a MAC by the key that we publish")
    func accessTokens() async throws {
        let project = try await TestProject.named("forged")
        let token = try await Self.session(project).member("access_token") ?? ""
        let forged = try await ForgedToken.all(of: token, at: project.site)
        try await Self.refuse(accessTokens: forged, project)
        #expect(try await project.site.send(.bearing(token)).status == 200)
        // Who forges one ends none.
        let race = try Race(at: project)
        for (_, token) in forged {
            #expect(try await project.site.send(.revoke(token)).status == 200)
        }
        #expect(try race.events() == [:])
        #expect(try await project.site.send(.bearing(token)).status == 200)
    }

    @Test("attack: an id token, or a hint, without signature, or with a MAC by a published key")
    func idTokens() async throws {
        let project = try await TestProject.named("forged")
        let site = project.site
        let session = try await Self.session(project)
        let asking = GrantForm.exchange(
            session.member("id_token"),
            session.member("device_secret"),
            for: "offers",
            at: site,
            type: GrantForm.urlType
        )
        let url = try await site.token(asking)
        let token = url.member("id_token") ?? ""
        let forged = try await ForgedToken.all(of: token, at: site)
        try await Self.refuse(idTokens: forged, of: url, url, project)
        // Only the signature was wrong.
        #expect(try await site.send(Self.logout(token))["location"]?.hasPrefix("/logout") == true)
        let asked = try await site.send(Self.login(token))
        #expect(asked["location"]?.contains("error=login_required&") == true)
        let opening = WireRequest.open(url: url.member("access_token"), hint: token)
        #expect(try await site.send(opening)["set-cookie"] != nil)
        #expect(try await site.token(Self.exchange(token, url, site)).status == 200)
    }

    @Test("attack: tokens by a key that was stolen, and has been given up; no session ends")
    func givenUp() async throws {
        let project = try await TestProject.named("given-up")
        let site = project.site
        let session = try await Self.session(project)
        let asking = GrantForm.exchange(
            session.member("id_token"),
            session.member("device_secret"),
            for: "offers",
            at: site,
            type: GrantForm.urlType
        )
        let url = try await site.token(asking)
        let old = (access: session.member("access_token"), id: url.member("id_token"))
        for node in site.nodes.indices {
            #expect(try await site.send(.bearing(old.access), at: node).status == 200)
        }
        try await project.giveUpKey()
        try await Self.refuse(accessTokens: [("given up", old.access ?? "")], project)
        try await Self.refuse(idTokens: [("given up", old.id ?? "")], of: url, url, project)
        let form =
            GrantForm.refresh(session.member("refresh_token"))
            + [("device_secret", url.member("device_secret") ?? "")]
        let fresh = try await site.token(form)
        #expect(try await site.send(.bearing(fresh.member("access_token"))).status == 200)
        let again = Self.exchange(fresh.member("id_token"), fresh, site)
        #expect(try await site.token(again).status == 200)
    }
}
