import TestSupport
import Testing

/// What is bound to a key, without it or by another (Security 4.1, 4.3 and 4.10; WireContract 6.4).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks without the key", .serialized, .timeLimit(.minutes(3))) struct MissingKeyTests {
    private static let scope =
        "openid offline_access device_sso https://authgear.com/scopes/full-access"

    private static func project() async throws -> TestProject {
        try await TestProject.named("keyless")
    }

    private static func refuse(
        _ sentence: String,
        _ form: GrantForm.Fields,
        _ project: TestProject,
        proof: String?
    ) async throws {
        try await project.refuse([(sentence, form)], as: "400 invalid_dpop_proof", proof: proof)
    }

    /// Refused without a proof and by a thief's, at each node; then taken from the key's owner.
    private static func refuse(
        _ form: GrantForm.Fields,
        _ phone: PhoneKey,
        _ project: TestProject
    ) async throws {
        let site = project.site
        let thief = try site.proof(by: try PhoneKey("ES256"))
        try await refuse("without a proof", form, project, proof: nil)
        try await refuse("by a thief's", form, project, proof: thief)
        let answer = try await site.token(form, proof: try site.proof(by: phone))
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("attack: a code whose request named a key", arguments: ["dpop_jkt", "a pushed proof"])
    func code(_ naming: String) async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var named = [("dpop_jkt", phone.thumbprint)]
        if naming != "dpop_jkt" {
            let fields = [
                ("client_id", "app"), ("response_type", "code"), ("state", "state-app"),
                ("scope", "openid offline_access"),
                ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
                ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
            ]
            let proof = try site.proof(by: phone, of: "/oauth2/par")
            let pushed = try await site.send(
                WireRequest("POST", "/oauth2/par", [("DPoP", proof)], SignIn.form(fields))
            )
            named = [("request_uri", try #require(pushed.member("request_uri")))]
        }
        var person = Person(at: site)
        let code = try await person.code("app", named)
        try await Self.refuse(GrantForm.code(code), phone, project)
    }

    @Test("attack: an owner's bound refresh token lets another app in") func owner() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let jwt = try await site.signed(by: phone, .app2app)
        let owner = try await person.session(
            "app",
            [("x_app2app_device_key_jwt", jwt)],
            proof: try site.proof(by: phone)
        )
        let approval = try await site.signed(by: phone, .app2app)
        let form = GrantForm.app2app(owner.member("refresh_token"), approval)
        try await Self.refuse(form, phone, project)
    }

    @Test("attack: a bound refresh token, or a proof that was used, opens the settings")
    func settings() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let session = try await person.session(
            scope: Self.scope,
            proof: try site.proof(by: phone)
        )
        let path = "/oauth2/app_session_token"
        func asking(_ proof: String?) -> WireRequest {
            var request = WireRequest.appSession(session.member("refresh_token"))
            request.headers += proof.map { [(name: "DPoP", value: $0)] } ?? []
            return request
        }
        let thief = try site.proof(by: try PhoneKey("ES256"), of: path)
        try await project.refuse(
            requests: [("without a proof", asking(nil)), ("by a thief's", asking(thief))],
            as: "403 InvalidDPoPKeyBinding"
        )
        // Each node remembers what was used there.
        for node in site.nodes.indices {
            let good = asking(try site.proof(by: phone, of: path))
            #expect(try await site.send(good, at: node).status == 200)
            let race = try Race(at: project)
            let again = try await site.send(good, at: node)
            #expect(again.outcome == "403 InvalidDPoPKeyBinding", "\(again.text)")
            #expect(try race.events() == [:])
        }
    }

    @Test("attack: a proof that was made two minutes ahead, by an app whose tokens are bound")
    func ahead() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let form = GrantForm.code(try await person.code("bound"), of: "bound")
        let proof = try phone.jwt([
            "typ": "dpop+jwt", "claim.htm": "POST", "claim.htu": "\(site.origin)/oauth2/token",
            "claim.jti": phone.thumbprint, "claim.iat": "now+120",
        ])
        try await Self.refuse("ahead", form, project, proof: proof)
        #expect(try await site.token(form, proof: try site.proof(by: phone)).status == 200)
    }

    @Test("attack: an app whose tokens must be bound asks for some that are not") func proofless()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let session = try await person.session(
            "bound",
            scope: Self.scope,
            proof: try site.proof(by: phone)
        )
        let token = session.member("access_token") ?? ""
        let setup = try await site.signed(
            by: phone,
            .biometric,
            ["claim.action": "setup", "header.kid": "\(phone.thumbprint)-0"]
        )
        let proof = try site.proof(by: phone, for: token)
        let enrolled = try await site.send(
            WireRequest(
                "POST",
                "/oauth2/token",
                [("Authorization", "DPoP \(token)"), ("DPoP", proof)],
                SignIn.form(GrantForm.biometric(setup, of: "bound"))
            )
        )
        #expect(enrolled.status == 200, "\(enrolled.text)")
        let login = try await site.signed(
            by: phone,
            .biometric,
            ["claim.action": "authenticate", "header.kid": "\(phone.thumbprint)-0"]
        )
        let host = try await person.session(scope: Self.scope)
        let exchange = GrantForm.exchange(
            host.member("id_token"),
            host.member("device_secret"),
            for: "bound",
            at: site
        )
        let code = try await person.code("bound")
        for form in [
            GrantForm.refresh(session.member("refresh_token"), of: "bound"), exchange,
            GrantForm.biometric(login, of: "bound"), GrantForm.code(code, of: "bound"),
        ] {
            try await Self.refuse("\(form)", form, project, proof: nil)
            let answer = try await site.token(form, proof: try site.proof(by: phone))
            let said = WireAnswer(decoding: answer.member("access_token") ?? "")
            let bound = said?.object("claims")?["cnf"] as? [String: Any]
            #expect(bound?["jkt"] as? String == phone.thumbprint, "\(form): \(answer.text)")
        }
    }
}
