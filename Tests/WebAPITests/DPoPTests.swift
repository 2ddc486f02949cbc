import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// Proofs of possession at the token endpoint (RFC 9449, WireContract 6.4).
@Suite("DPoP at the token endpoint") struct DPoPTests {
    static let now: Int64 = 1_795_232_554
    static let endpoint = "https://auth.example.com/oauth2/token"

    static func payload(_ id: String, at url: String = endpoint, method: String = "POST")
        -> Members
    {
        [
            ("jti", .string(id)), ("htm", .string(method)), ("htu", .string(url)),
            ("iat", .integer(now)),
        ]
    }

    static func proof(_ phone: Phone, _ id: String) throws -> String {
        try phone.jwt(phone.header("dpop+jwt"), payload(id))
    }

    static func redeem(
        _ web: WebSide,
        proof: String? = nil,
        scope: String = "openid offline_access",
        deviceKey: String? = nil
    )
        async throws -> Answer
    {
        let code = try await web.side.code(scope: scope)
        return try await redeem(web, code: code, proof: proof, deviceKey: deviceKey)
    }

    static func redeem(
        _ web: WebSide,
        code: String,
        proof: String? = nil,
        deviceKey: String? = nil
    ) async throws -> Answer {
        try await web.post(
            "/oauth2/token",
            "grant_type=authorization_code&client_id=app&code=\(code)"
                + "&redirect_uri=\(TokenSide.redirectURI)&code_verifier=\(TokenSide.verifier)"
                + (deviceKey.map { "&x_app2app_device_key_jwt=\($0)" } ?? ""),
            proof.map { ["dpop": $0] } ?? [:]
        )
    }

    static func refresh(
        _ web: WebSide,
        _ token: String,
        _ headers: KeyValuePairs<String, String> = [:]
    ) async throws -> Answer {
        try await web.post(
            "/oauth2/token",
            "grant_type=refresh_token&client_id=app&refresh_token=\(token)",
            headers
        )
    }

    @Test(arguments: rows) func follows(_ row: Row) async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let token = try #require(try await Self.redeem(web)["refresh_token"]?.string)
        let before = web.commits
        let proof = try phone.jwt(
            row.header(phone.header("dpop+jwt")),
            row.payload(Self.payload("j"))
        )
        let answer = try await Self.refresh(web, token, ["dpop": proof])
        guard row.isRefused else {
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer["token_type"] == "Bearer")
            return
        }
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_dpop_proof")
        #expect(web.commits == before)
        #expect(try await Self.refresh(web, token).status == 200)
    }

    @Test("every algorithm of the metadata", arguments: [SignatureAlgorithm.rs256, .edDSA])
    func algorithms(_ algorithm: SignatureAlgorithm) async throws {
        let web = try await WebSide()
        let phone = try Phone(algorithm)
        let answer = try await Self.redeem(web, proof: Self.proof(phone, "1"))
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test("a signature by another key than the embedded one is refused") func foreign()
        async throws
    {
        let web = try await WebSide()
        let phone = try Phone()
        let proof = try phone.jwt(
            phone.header("dpop+jwt"),
            Self.payload("1"),
            by: Phone().key
        )
        let code = try await web.side.code()
        let answer = try await web.expectNothingRecorded {
            try await Self.redeem(web, code: code, proof: proof)
        }
        #expect(answer.error == "invalid_dpop_proof")
    }

    @Test("two proofs at once are refused") func two() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let token = try #require(try await Self.redeem(web)["refresh_token"]?.string)
        let answer = try await web.expectNothingRecorded {
            try await Self.refresh(
                web,
                token,
                ["dpop": try Self.proof(phone, "1"), "dpop": try Self.proof(phone, "2")]
            )
        }
        #expect(answer.error == "invalid_dpop_proof")
    }

    @Test("a proof is good once; another key may use the same jti") func replay() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let proof = try Self.proof(phone, "1")
        let opened = try await Self.redeem(web, proof: proof)
        let token = try #require(opened["refresh_token"]?.string)
        let before = web.commits
        let replay = try await Self.refresh(web, token, ["dpop": proof])
        #expect(replay.error == "invalid_dpop_proof")
        #expect(web.commits == before)
        let next = try Self.proof(phone, "2")
        #expect(try await Self.refresh(web, token, ["dpop": next]).status == 200)
        let stranger = try Self.proof(Phone(), "1")
        #expect(try await Self.redeem(web, proof: stranger).status == 200)
    }

    @Test("of fifty that send one proof at once one wins") func race() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let opened = try await Self.redeem(web, proof: Self.proof(phone, "0"))
        let token = try #require(opened["refresh_token"]?.string)
        let proof = try Self.proof(phone, "1")
        let before = web.commits
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    (try? await Self.refresh(web, token, ["dpop": proof]).status) ?? 0
                }
            }
            var all: [Int] = []
            for await status in group { all.append(status) }
            return all
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 400 }.count == 49)
        #expect(web.commits == before + 1)
    }

    @Test("a public client's refresh token needs the key it was born with, and no longer rotates")
    func family() async throws {
        let web = try await WebSide()
        let phone = try Phone()
        let opened = try await Self.redeem(web, proof: Self.proof(phone, "1"))
        let token = try #require(opened["refresh_token"]?.string)
        let before = web.commits
        #expect(try await Self.refresh(web, token).error == "invalid_dpop_proof")
        let thief = try Self.proof(Phone(), "2")
        let stolen = try await Self.refresh(web, token, ["dpop": thief])
        #expect(stolen.error == "invalid_dpop_proof")
        #expect(web.commits == before)
        let own = try Self.proof(phone, "3")
        let refreshed = try await Self.refresh(web, token, ["dpop": own])
        #expect(refreshed.status == 200)
        #expect(refreshed["refresh_token"] == nil)
        #expect(refreshed["token_type"] == "Bearer")
    }

    static func bound(_ dpop: ClientSettings.DPoP) async throws -> WebSide {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.clients[0].dpop = dpop
        try await web.side.apply(settings)
        return web
    }

    @Test("where it is switched off the header is not read") func disabled() async throws {
        let web = try await Self.bound(.disabled)
        #expect(try await Self.redeem(web, proof: "nonsense").status == 200)
    }

    @Test("what was bound before it was switched off is used like the rest") func disabledLater()
        async throws
    {
        let web = try await WebSide()
        let opened = try await Self.redeem(web, proof: Self.proof(Phone(), "1"))
        let token = try #require(opened["refresh_token"]?.string)
        #expect(try await Self.refresh(web, token).error == "invalid_dpop_proof")
        var settings = web.side.project.settings
        settings.clients[0].dpop = .disabled
        try await web.side.apply(settings)
        let refreshed = try await Self.refresh(web, token, ["dpop": "nonsense"])
        #expect(refreshed.status == 200, "\(refreshed.body)")
        // It is held by possession alone now, so it rotates.
        let next = try #require(refreshed["refresh_token"]?.string)
        #expect(next != token)
        #expect(try await Self.refresh(web, next).status == 200)
    }

    @Test("a target without DPoP does not keep a bound owner out, nor let a thief in")
    func disabledTarget() async throws {
        let web = try await WebSide()
        var settings = web.side.project.settings
        let target = try #require(settings.clients.firstIndex { $0.id.text == "other" })
        settings.clients[target].dpop = .disabled
        try await web.side.apply(settings)
        let phone = try Phone()
        let device = try phone.jwt(phone.header(), DeviceKeyTests.payload(web))
        let opened = try await Self.redeem(web, proof: Self.proof(phone, "1"), deviceKey: device)
        let token = try #require(opened["refresh_token"]?.string, "\(opened.body)")
        let owner = App2AppTests.Owner(web, phone, refreshToken: token)
        for (proof, status) in [
            (nil, 400), ("nonsense", 400), (try Self.proof(Phone(), "2"), 400),
            (try Self.proof(phone, "3"), 200),
        ] as [(String?, Int)] {
            let answer = try await owner.approve(owner.jwt(), proof: proof)
            #expect(answer.status == status, "\(answer.body)")
            #expect(status == 200 || answer.error == "invalid_dpop_proof")
        }
        let plain = try await App2AppTests.Owner(web)
        let ignored = try await plain.approve(plain.jwt(), proof: "nonsense")
        #expect(ignored.status == 200, "\(ignored.body)")
    }

    @Test("bound access tokens need a proof, made at most 60 s ahead, and carry its key")
    func boundTokens() async throws {
        let web = try await Self.bound(.bound)
        let phone = try Phone()
        let code = try await web.side.code()
        let bare = try await web.expectNothingRecorded {
            try await Self.redeem(web, code: code)
        }
        #expect(bare.error == "invalid_dpop_proof")
        let early = try phone.jwt(
            phone.header("dpop+jwt"),
            Self.payload("0").setting("iat", .integer(Self.now + 61))
        )
        let ahead = try await web.expectNothingRecorded {
            try await Self.redeem(web, code: code, proof: early)
        }
        #expect(ahead.error == "invalid_dpop_proof")
        let opened = try await Self.redeem(web, proof: Self.proof(phone, "1"))
        #expect(opened["token_type"] == "DPoP")
        let token = try #require(opened["access_token"]?.string)
        let answer = try await web.post(
            "/oauth2/introspect",
            "token=\(token)",
            ["authorization": "Basic YXBpOmEtc2VjcmV0"]
        )
        #expect(answer["token_type"] == "DPoP")
        #expect(answer["cnf"]?["jkt"]?.string?.utf8.count == 43)
    }

    @Test("with nonces on, a proof without one learns it and may come again") func nonces()
        async throws
    {
        let web = try await WebSide()
        var settings = web.side.project.settings
        settings.requiresDPoPNonce = true
        try await web.side.apply(settings)
        let phone = try Phone()
        let code = try await web.side.code()
        let first = try await web.expectNothingRecorded {
            try await Self.redeem(web, code: code, proof: Self.proof(phone, "1"))
        }
        #expect(first.status == 400 && first.error == "use_dpop_nonce")
        let nonce = try #require(first.field("DPoP-Nonce").first)
        let payload = Self.payload("1").setting("nonce", .string(nonce))
        let proof = try phone.jwt(phone.header("dpop+jwt"), payload)
        let second = try await Self.redeem(web, code: code, proof: proof)
        #expect(second.status == 200, "\(second.body)")
        #expect(second.field("DPoP-Nonce").count == 1)
        let altered = Self.payload("2").setting("nonce", .string("B" + nonce.dropFirst()))
        let forged = try phone.jwt(phone.header("dpop+jwt"), altered)
        #expect(try await Self.redeem(web, proof: forged).error == "use_dpop_nonce")
        web.side.clock.advance(seconds: 301)
        let late = Self.payload("3").setting("nonce", .string(nonce))
            .setting("iat", .integer(Self.now + 301))
        let old = try phone.jwt(phone.header("dpop+jwt"), late)
        #expect(try await Self.redeem(web, proof: old).error == "use_dpop_nonce")
    }
}
