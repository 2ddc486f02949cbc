import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Native SSO and pre-authenticated URLs where keys are bound (WireContract 5.6, 5.7 and 6.4;
/// Security 4.9).
@Suite("Sharing a bound session") struct SharingProofTests {
    private static let scope =
        "openid offline_access device_sso https://authgear.com/scopes/pre-authenticated-url"
    private static let urlType =
        "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"

    /// A session of `app` whose refresh token and device secret are bound to a phone's key.
    private struct Bound {
        let web: WebSide
        let phone: Phone
        let session: Answer

        init(_ dpop: ClientSettings.DPoP = .optional) async throws {
            web = try await DPoPTests.bound(dpop)
            phone = try Phone()
            session = try await DPoPTests.redeem(
                web,
                proof: DPoPTests.proof(phone, "login"),
                scope: scope,
                deviceKey: phone.jwt(phone.header(), DeviceKeyTests.payload(web))
            )
        }

        /// A proof of the phone that was made so many seconds ahead.
        func proof(_ id: String, ahead seconds: Int64) throws -> String {
            let time = JSON.integer(DPoPTests.now + seconds)
            let payload = DPoPTests.payload(id).setting("iat", time)
            return try phone.jwt(phone.header("dpop+jwt"), payload)
        }

        func exchange(_ client: String, url: Bool = false, proof: String? = nil)
            async throws -> Answer
        {
            var form = try NativeSSOTests.form(session, client: client)
            if url { form.append(("requested_token_type", urlType)) }
            return try await web.post(
                "/oauth2/token",
                form.map { "\($0.0)=\($0.1)" }.joined(separator: "&"),
                proof.map { ["dpop": $0] } ?? [:]
            )
        }

        func disableDPoP(of client: String, withNonces: Bool = false) async throws {
            var settings = web.side.project.settings
            settings.requiresDPoPNonce = withNonces
            let index = try #require(settings.clients.firstIndex { $0.id.text == client })
            settings.clients[index].dpop = .disabled
            try await web.side.apply(settings)
        }
    }

    @Test("a thief of secret and id token gets no unbound token in the first client's name")
    func firstClient() async throws {
        let bound = try await Bound()
        let commits = bound.web.commits
        for proof in [nil, try DPoPTests.proof(Phone(), "thief")] {
            let answer = try await bound.exchange("app", proof: proof)
            #expect(answer.status == 400)
            #expect(answer.error == "unauthorized_client")
        }
        #expect(bound.web.commits == commits)
        let token = try #require(bound.session["refresh_token"]?.string)
        let own = try DPoPTests.proof(bound.phone, "refresh")
        #expect(try await DPoPTests.refresh(bound.web, token, ["dpop": own]).status == 200)
        #expect(try await DPoPTests.refresh(bound.web, token).error == "invalid_dpop_proof")
    }

    @Test("parameters are missed before a proof (WireContract 5.1)") func order() async throws {
        let bound = try await Bound()
        var settings = bound.web.side.project.settings
        for index in settings.clients.indices { settings.clients[index].dpop = .bound }
        try await bound.web.side.apply(settings)
        let form = try NativeSSOTests.form(bound.session, client: "invest")
        for (missing, error) in [("audience", "invalid_request"), ("", "invalid_dpop_proof")] {
            let body = form.filter { $0.0 != missing }.map { "\($0.0)=\($0.1)" }
            let answer = try await bound.web.expectNothingRecorded {
                try await bound.web.post("/oauth2/token", body.joined(separator: "&"))
            }
            #expect(answer.error == error)
        }
    }

    @Test("a guest's refresh token is bound to the guest's own key, the host's is not asked for")
    func guest() async throws {
        let bound = try await Bound()
        let phone = try Phone()
        let joined = try await bound.exchange(
            "invest",
            proof: DPoPTests.proof(phone, "guest")
        )
        #expect(joined.status == 200, "\(joined.body)")
        let token = try #require(joined["refresh_token"]?.string)
        func refresh(_ proof: String?) async throws -> Answer {
            try await bound.web.post(
                "/oauth2/token",
                "grant_type=refresh_token&client_id=invest&refresh_token=\(token)",
                proof.map { ["dpop": $0] } ?? [:]
            )
        }
        #expect(try await refresh(nil).error == "invalid_dpop_proof")
        let host = try DPoPTests.proof(bound.phone, "host")
        #expect(try await refresh(host).error == "invalid_dpop_proof")
        #expect(try await refresh(DPoPTests.proof(phone, "again")).status == 200)
    }

    @Test("an app whose proof lacks a nonce hears so, also for a web client without DPoP")
    func nonce() async throws {
        let bound = try await Bound()
        try await bound.disableDPoP(of: "offers", withNonces: true)
        let bare = try DPoPTests.proof(bound.phone, "url")
        let first = try await bound.exchange("offers", url: true, proof: bare)
        #expect(first.status == 400 && first.error == "use_dpop_nonce", "\(first.body)")
        let nonce = try #require(first.field("DPoP-Nonce").first)
        let payload = DPoPTests.payload("again").setting("nonce", .string(nonce))
        let fresh = try bound.phone.jwt(bound.phone.header("dpop+jwt"), payload)
        #expect(try await bound.exchange("offers", url: true, proof: fresh).status == 200)
    }

    @Test("a secret born under a key opens no URL without a proof by it") func url() async throws {
        let bound = try await Bound()
        let commits = bound.web.commits
        for proof in [nil, try DPoPTests.proof(Phone(), "thief")] {
            let answer = try await bound.exchange("offers", url: true, proof: proof)
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_dpop_proof")
        }
        #expect(bound.web.commits == commits)
        let own = try DPoPTests.proof(bound.phone, "url")
        #expect(try await bound.exchange("offers", url: true, proof: own).status == 200)
        #expect(
            try await bound.exchange("offers", url: true, proof: own).error
                == "invalid_dpop_proof"
        )
    }

    @Test("the secret is the app's: that the web client does without DPoP does not matter")
    func disabledWebClient() async throws {
        let bound = try await Bound()
        try await bound.disableDPoP(of: "offers")
        for proof in [nil, "nonsense", try DPoPTests.proof(Phone(), "thief")] {
            let answer = try await bound.exchange("offers", url: true, proof: proof)
            #expect(answer.error == "invalid_dpop_proof", "\(answer.body)")
        }
        let own = try DPoPTests.proof(bound.phone, "url")
        #expect(try await bound.exchange("offers", url: true, proof: own).status == 200)
    }

    @Test("an app whose DPoP was switched off later is asked for no proof") func disabledApp()
        async throws
    {
        let bound = try await Bound()
        try await bound.disableDPoP(of: "app", withNonces: true)
        let bare = try DPoPTests.proof(bound.phone, "no nonce")
        // The secret stays good for a while behind the next one.
        for proof in [nil, "nonsense", bare, bare] {
            let answer = try await bound.exchange("offers", url: true, proof: proof)
            #expect(answer.status == 200, "\(answer.body)")
        }
    }

    @Test(
        "whoever asks in its name, an app's proof is made as little ahead as for its own requests",
        arguments: [(.bound, 60), (.optional, 300)] as [(ClientSettings.DPoP, Int64)]
    )
    func ahead(_ dpop: ClientSettings.DPoP, _ seconds: Int64) async throws {
        let bound = try await Bound(dpop)
        let token = try #require(bound.session["refresh_token"]?.string, "\(bound.session.body)")
        let owner = App2AppTests.Owner(bound.web, bound.phone, refreshToken: token)
        func ask(for name: String, _ proof: String) async throws -> Answer {
            switch name {
            case "approval": try await owner.approve(owner.jwt(), proof: proof)
            case "URL": try await bound.exchange("offers", url: true, proof: proof)
            default: try await DPoPTests.refresh(bound.web, token, ["dpop": proof])
            }
        }
        for name in ["refresh", "approval", "URL"] {
            let early = try bound.proof("early \(name)", ahead: seconds + 1)
            let refused = try await bound.web.expectNothingRecorded(name) {
                try await ask(for: name, early)
            }
            #expect(refused.word == "400 invalid_dpop_proof", "\(name): \(refused.body)")
            #expect(refused["error_description"] == "iat is not now", "\(name)")
            let last = try bound.proof("last \(name)", ahead: seconds)
            let answer = try await ask(for: name, last)
            #expect(answer.status == 200, "\(name): \(answer.body)")
        }
    }

    @Test("an approval by an app whose DPoP is switched off passes over the header")
    func disabledOwner() async throws {
        let web = try await WebSide()
        let owner = try await App2AppTests.Owner(web)
        var settings = web.side.project.settings
        settings.requiresDPoPNonce = true
        let proof = try DPoPTests.proof(Phone(), "no nonce")
        try await web.side.apply(settings)
        let refused = try await owner.approve(owner.jwt(), proof: proof)
        #expect(refused.error == "use_dpop_nonce", "\(refused.body)")
        settings.clients[0].dpop = .disabled
        try await web.side.apply(settings)
        for proof in ["nonsense", proof, proof] {
            let answer = try await owner.approve(owner.jwt(), proof: proof)
            #expect(answer.status == 200, "\(answer.body)")
        }
    }

    @Test("a biometric login with device_sso hands out a device secret that lets another app in")
    func biometricLogin() async throws {
        let user = try await BiometricTests.User(WebSide())
        let login = try await user.authenticate(
            user.jwt("authenticate"),
            "&scope=openid+offline_access+device_sso"
        )
        #expect(login.status == 200, "\(login.body)")
        let joined = try await NativeSSOTests.send(user.web, NativeSSOTests.form(login))
        #expect(joined.status == 200, "\(joined.body)")
    }

    @Test("a guest's refresh token is reported with its own end, and inactive behind it")
    func introspection() async throws {
        let web = try await WebSide()
        var settings = web.side.project.settings
        let index = try #require(settings.clients.firstIndex { $0.id.text == "invest" })
        settings.clients[index].refreshTokenLifetimeSeconds = 3600
        try await web.side.apply(settings)
        let session = try await NativeSSOTests.session(web)
        let joined = try await NativeSSOTests.send(web, NativeSSOTests.form(session))
        let token = Array(try #require(joined["refresh_token"]?.string).utf8)
        #expect(try await web.side.isActive(token, asked: "invest"))
        web.side.clock.advance(seconds: 3601)
        #expect(try await !web.side.isActive(token, asked: "invest"))
        let first = Array(try #require(session["refresh_token"]?.string).utf8)
        #expect(try await web.side.isActive(first, asked: "app"))
    }
}
