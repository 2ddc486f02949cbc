import Foundation
import TestSupport
import Testing

/// What a DPoP-bound token is worth to a thief (security.md 4.10; wire contract, 6.4 and 9.1).
@Suite("Bound tokens", .timeLimit(.minutes(3))) struct BoundTokenTests {
    /// An app whose access tokens are bound, its key and its session.
    private struct Holder {
        let site: Site
        let phone: PhoneKey
        let session: WireAnswer
        var token: String { session.member("access_token") ?? "" }

        init(at site: Site, nonce: String? = nil) async throws {
            self.site = site
            phone = try PhoneKey("ES256")
            var person = Person(at: site)
            session = try await person.session(
                "bound",
                scope: BoundTokenTests.scope,
                proof: try site.proof(by: phone, nonce: nonce)
            )
        }
    }

    private static let scope =
        "openid offline_access device_sso https://authgear.com/scopes/full-access"

    /// A route that takes an access token.
    struct Consumer: Sendable, CustomTestStringConvertible {
        var method: String
        var path: String
        var body = ""
        var testDescription: String { path + (body.isEmpty ? "" : ", id-token") }
    }

    static let consumers = [
        Consumer(method: "GET", path: "/oauth2/userinfo"),
        Consumer(method: "POST", path: "/oauth2/userinfo"),
        Consumer(method: "GET", path: "/api/v1/sessions"),
        Consumer(method: "GET", path: "/api/v1/biometric_keys"),
        Consumer(method: "POST", path: "/api/v1/sessions/revoke_others"),
        Consumer(
            method: "POST",
            path: "/oauth2/token",
            body: SignIn.form([
                ("grant_type", "urn:authgear:params:oauth:grant-type:id-token"),
                ("client_id", "bound"),
            ])
        ),
    ]

    private static func ask(
        _ consumer: Consumer,
        _ holder: Holder,
        _ proofs: [String],
        as scheme: String = "DPoP",
        at node: Int
    ) async throws -> WireAnswer {
        var headers = [(name: "Authorization", value: "\(scheme) \(holder.token)")]
        headers += proofs.map { (name: "DPoP", value: $0) }
        return try await holder.site.send(
            WireRequest(consumer.method, consumer.path, headers, consumer.body),
            at: node
        )
    }

    @Test("attack: a stolen one, at every route that takes one", arguments: consumers)
    func stolen(_ consumer: Consumer) async throws {
        let site = try await TestProject.named("attacked").site
        let holder = try await Holder(at: site)
        #expect(holder.session.member("token_type") == "DPoP")
        let (path, method) = (consumer.path, consumer.method)
        func proof(by key: PhoneKey, _ path: String, _ method: String, of token: String?) throws
            -> String
        {
            try site.proof(by: key, of: path, method: method, for: token)
        }
        let thief = try PhoneKey("ES256")
        let good = try proof(by: holder.phone, path, method, of: holder.token)
        let tries: [(sentence: String, scheme: String, proofs: [String])] = [
            ("as Bearer", "Bearer", []), ("as Bearer, with its proof", "Bearer", [good]),
            ("without a proof", "DPoP", []),
            (
                "by a key of the thief's", "DPoP",
                [
                    try proof(by: thief, path, method, of: holder.token)
                ]
            ),
            (
                "by a proof without ath", "DPoP",
                [try proof(by: holder.phone, path, method, of: nil)]
            ),
            (
                "by a proof for another token", "DPoP",
                [
                    try proof(by: holder.phone, path, method, of: "x" + holder.token)
                ]
            ),
            (
                "by a proof for another route", "DPoP",
                [
                    try proof(by: holder.phone, path + "/x", method, of: holder.token)
                ]
            ),
            (
                "by a proof for another method", "DPoP",
                [
                    try proof(by: holder.phone, path, "PUT", of: holder.token)
                ]
            ),
            ("by two proofs", "DPoP", [good, good]),
        ]
        for (sentence, scheme, proofs) in tries {
            for node in site.nodes.indices {
                let answer = try await Self.ask(consumer, holder, proofs, as: scheme, at: node)
                #expect([400, 401].contains(answer.status), "\(sentence): \(answer.text)")
                if answer.status == 401 {
                    let asked = answer["www-authenticate"] ?? ""
                    #expect(asked.hasPrefix("DPoP ") || asked.hasPrefix("Bearer"), "\(sentence)")
                }
            }
        }
        let right = try await Self.ask(consumer, holder, [good], at: 0)
        #expect(right.status == 200, "\(right.text)")
        let replay = try await Self.ask(consumer, holder, [good], at: 0)
        #expect(replay.status == 401 || replay.status == 400, "\(replay.text)")
    }

    @Test("introspection says which key it is bound to; by whom it comes does not matter")
    func introspection() async throws {
        let project = try await TestProject.named("attacked")
        let holder = try await Holder(at: project.site)
        for node in project.site.nodes.indices {
            let asked = try project.assertionForm("service") + [("token", holder.token)]
            let answer = try await project.site.send(
                WireRequest("POST", "/oauth2/introspect", [], SignIn.form(asked)),
                at: node
            )
            #expect(answer.member("token_type") == "DPoP")
            #expect(answer.object("cnf")?["jkt"] as? String == holder.phone.thumbprint)
        }
    }

    @Test("attack: a guest's refresh token without the key of the proof that it came by")
    func exchange() async throws {
        let site = try await TestProject.named("attacked").site
        let holder = try await Holder(at: site)
        let guest = try PhoneKey("ES256")
        let joined = try await site.token(
            GrantForm.exchange(
                holder.session.member("id_token"),
                holder.session.member("device_secret"),
                for: "invest",
                at: site
            ),
            proof: try site.proof(by: guest)
        )
        #expect(joined.status == 200, "\(joined.text)")
        let refresh = GrantForm.refresh(joined.member("refresh_token"), of: "invest")
        #expect(try await site.token(refresh).outcome == "400 invalid_dpop_proof")
        let host = try site.proof(by: holder.phone)
        #expect(try await site.token(refresh, proof: host).outcome == "400 invalid_dpop_proof")
        #expect(try await site.token(refresh, proof: site.proof(by: guest)).status == 200)
    }

    @Test("attack: a device secret that was born under a key opens a URL without it")
    func secret() async throws {
        let site = try await TestProject.named("attacked").site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let session = try await person.session(
            scope: Person.everything,
            proof: try site.proof(by: phone)
        )
        let form = GrantForm.exchange(
            session.member("id_token"),
            session.member("device_secret"),
            for: "offers",
            at: site,
            type: GrantForm.urlType
        )
        #expect(try await site.token(form).outcome == "400 invalid_dpop_proof")
        let thief = try site.proof(by: try PhoneKey("ES256"))
        #expect(try await site.token(form, proof: thief).outcome == "400 invalid_dpop_proof")
        #expect(try await site.token(form, proof: site.proof(by: phone)).status == 200)
    }

    @Test("attack: a proof that was made before, where the project wants its nonce in it")
    func nonces() async throws {
        let site = try await TestProject.named("strict-home", nonces: true).site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let form = GrantForm.code(try await person.code("bound", scope: Self.scope), of: "bound")
        let early = try await site.token(form, proof: site.proof(by: phone), at: 0)
        #expect(early.outcome == "400 use_dpop_nonce")
        let nonce = try #require(early["dpop-nonce"])
        let altered = (nonce.hasPrefix("A") ? "B" : "A") + nonce.dropFirst()
        let forged = try site.proof(by: phone, nonce: altered)
        #expect(try await site.token(form, proof: forged, at: 1).outcome == "400 use_dpop_nonce")
        // The other node knows it, and nothing was burnt.
        let proof = try site.proof(by: phone, nonce: nonce)
        let opened = try await site.token(form, proof: proof, at: 1)
        #expect(opened.status == 200, "\(opened.text)")
        #expect(opened["dpop-nonce"] != nil)
        let token = try #require(opened.member("access_token"))
        func ask(_ nonce: String?, at node: Int) async throws -> WireAnswer {
            let proof = try site.proof(
                by: phone,
                of: "/oauth2/userinfo",
                method: "GET",
                for: token,
                nonce: nonce
            )
            let headers = [
                (name: "Authorization", value: "DPoP \(token)"), (name: "DPoP", value: proof),
            ]
            return try await site.send(WireRequest("GET", "/oauth2/userinfo", headers), at: node)
        }
        let bare = try await ask(nil, at: 0)
        #expect(bare.outcome == "401 use_dpop_nonce")
        #expect(bare["www-authenticate"]?.hasPrefix("DPoP error=\"use_dpop_nonce\"") == true)
        let next = try #require(bare["dpop-nonce"])
        let good = try await ask(next, at: 1)
        #expect(good.status == 200 && good["dpop-nonce"] != nil, "\(good.text)")
    }
}
