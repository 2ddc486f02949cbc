import TestSupport
import Testing

/// Keys that are named, but did not sign, and JWTs of another form than was agreed (Security 3
/// and 4.3; WireContract 6.2 and 6.4).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks by another signer", .serialized, .timeLimit(.minutes(3))) struct OtherSignerTests {
    private static func project() async throws -> TestProject {
        try await TestProject.named("signers")
    }

    private static func refuse(
        _ forms: [(sentence: String, form: GrantForm.Fields)],
        _ outcome: String = "400 invalid_request",
        in project: TestProject,
        proof: String? = nil
    ) async throws {
        try await project.refuse(forms, as: outcome, proof: proof)
    }

    @Test("attack: a stolen refresh token and a JWT that the bound key did not sign") func stolen()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        let thief = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone).member("refresh_token")
        let challenge = try await site.challenge(.app2app)
        let rows = [
            ("without its key", try thief.jwt(.app2app, challenge: challenge, ["jwk": "no"])),
            (
                "with the bound key in it",
                try phone.jwt(.app2app, challenge: challenge, ["signature": "other"])
            ),
        ]
        try await Self.refuse(
            rows.map { ($0.0, GrantForm.app2app(owner, $0.1)) },
            in: project
        )
        let good = try phone.jwt(.app2app, challenge: challenge, ["jwk": "no"])
        #expect(try await site.token(GrantForm.app2app(owner, good)).status == 200)
    }

    @Test("attack: a key of somebody else's is bound: late, at a login, by a setup, by a proof")
    func bindings() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        let unsigned = ["signature": "other"]
        var person = Person(at: site)
        let owner = try await person.session("loose").member("refresh_token")
        let code = try await person.code()
        let jwt = try await site.signed(by: phone, .app2app, unsigned)
        try await Self.refuse(
            [
                ("late", GrantForm.app2app(owner, jwt)),
                ("at a login", GrantForm.code(code, [("x_app2app_device_key_jwt", jwt)])),
            ],
            in: project
        )
        let proof = try phone.jwt([
            "typ": "dpop+jwt", "claim.htm": "POST", "claim.htu": "\(site.origin)/oauth2/token",
            "claim.jti": phone.thumbprint, "signature": "other",
        ])
        try await Self.refuse(
            [("by a proof", GrantForm.code(code))],
            "400 invalid_dpop_proof",
            in: project,
            proof: proof
        )
        let user = try await BiometricUser(at: site)
        let setup = try await user.setup(user.finger, user.kid, unsigned)
        let race = try Race(at: project)
        for node in site.nodes.indices {
            #expect(try await site.send(setup, at: node).outcome == "400 invalid_request")
        }
        #expect(try race.events() == [:])
        #expect(try await site.token(GrantForm.code(code)).status == 200)
    }

    @Test("attack: a device key that was signed for another login than the one it comes with")
    func otherLogin() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let code = try await person.code()
        let challenge = try await site.challenge(.app2app)
        let forms = try [
            ("claim.client_id", "invest"), ("claim.redirect_uri", "com.example.other:/callback"),
            ("claim.code_challenge", PhoneKey.digest("another")),
        ].map { name, value in
            let jwt = try phone.jwt(.app2app, challenge: challenge, [name: value])
            return (name, GrantForm.code(code, [("x_app2app_device_key_jwt", jwt)]))
        }
        try await Self.refuse(forms, in: project)
        #expect(try await site.token(GrantForm.code(code)).status == 200)
    }

    @Test("attack: another key takes the place of the session's when its user logs in again")
    func swap() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let session = try await person.session(on: phone)
        let code = try await person.renewal(of: session)
        let other = try await site.signed(by: try PhoneKey("ES256"), .app2app)
        try await Self.refuse(
            [("another key", GrantForm.code(code, [("x_app2app_device_key_jwt", other)]))],
            "400 invalid_grant",
            in: project
        )
        let same = try await site.signed(by: phone, .app2app)
        let form = GrantForm.code(code, [("x_app2app_device_key_jwt", same)])
        #expect(try await site.token(form).status == 200)
        let approval = try await site.signed(by: phone, .app2app)
        let owner = session.member("refresh_token")
        #expect(try await site.token(GrantForm.app2app(owner, approval)).status == 200)
    }

    @Test("attack: the JWT of one renewal comes with the next ones") func replay() async throws {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let session = try await person.session(on: phone)
        let jwt = try await site.signed(by: phone, .app2app)
        func form(_ code: String) -> GrantForm.Fields {
            GrantForm.code(code, [("x_app2app_device_key_jwt", jwt)])
        }
        let first = try await person.renewal(of: session)
        #expect(try await site.token(form(first)).status == 200)
        for _ in 0..<2 {
            let code = try await person.renewal(of: session)
            try await Self.refuse([("again", form(code))], in: project)
            #expect(try await site.token(GrantForm.code(code)).status == 200)
        }
        let refresh = GrantForm.refresh(session.member("refresh_token"))
        #expect(try await site.token(refresh).status == 200)
    }

    @Test("attack: a JWT that says two things of its key, or more than is read") func forms()
        async throws
    {
        let project = try await Self.project()
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let owner = try await person.session(on: phone).member("refresh_token")
        let challenge = try await site.challenge(.app2app)
        let rows = [
            ("another algorithm of the key", ["jwk.alg": "RS256"]),
            ("two names", ["header.kid": "first-key-1", "jwk.kid": "second-key"]),
            ("a name that is too short", ["header.kid": "short-1"]),
            ("a name that is a path", ["header.kid": "../../key"]),
            ("a chain of certificates", ["header.x5c": "json:['MIIB']"]),
            (
                "an extension that must be understood",
                ["header.crit": "json:['x_more']", "header.x_more": "json:1"]
            ),
            ("a payload that is not encoded", ["header.b64": "json:false"]),
            ("8 KiB and more", ["claim.more": String(repeating: "x", count: 8 * 1024)]),
        ]
        let forms = try rows.map { sentence, options in
            let jwt = try phone.jwt(.app2app, challenge: challenge, options)
            return (sentence, GrantForm.app2app(owner, jwt))
        }
        let good = try phone.jwt(.app2app, challenge: challenge)
        let plain = GrantForm.app2app(owner, good) + [("code_challenge_method", "plain")]
        try await Self.refuse(forms + [("a plain challenge", plain)], in: project)
        #expect(try await site.token(GrantForm.app2app(owner, good)).status == 200)
    }
}
