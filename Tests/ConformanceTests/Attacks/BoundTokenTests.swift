import Foundation
import TestSupport
import Testing

/// What a DPoP-bound token is worth to a thief (Security 4.10; WireContract 6.4 and 9.1).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Bound tokens", .serialized, .timeLimit(.minutes(3))) struct BoundTokenTests {
    private static func project() async throws -> TestProject {
        try await TestProject.named("bound")
    }

    /// Somebody with a session and a biometric key of one app, and another app whose access tokens
    /// are bound.
    private struct Holder {
        let user: BiometricUser
        let phone: PhoneKey
        /// Of the app whose access tokens are bound.
        let session: WireAnswer
        let otherID: String
        var site: Site { user.site }
        var token: String { session.member("access_token") ?? "" }

        init(at site: Site) async throws {
            user = try await BiometricUser.enrolled(at: site)
            phone = try PhoneKey("ES256")
            var person = user.person
            session = try await person.session(
                "bound",
                scope: BoundTokenTests.scope,
                proof: try site.proof(by: phone)
            )
            let said = WireAnswer(decoding: user.session.member("access_token") ?? "")
            otherID = try #require(said?.object("claims")?["sid"] as? String)
        }

        func path(of consumer: TokenConsumer) -> String {
            consumer.path(sid: otherID, kid: user.kid)
        }

        /// The form that a route wants, everything right in it.
        func body(of consumer: TokenConsumer) async throws -> String {
            switch consumer {
            case .idToken:
                return SignIn.form([
                    ("grant_type", "urn:authgear:params:oauth:grant-type:id-token"),
                    ("client_id", "bound"),
                ])
            case .setup:
                let options = ["claim.action": "setup", "header.kid": UUID().uuidString]
                let jwt = try await site.signed(by: PhoneKey("ES256"), .biometric, options)
                return SignIn.form(GrantForm.biometric(jwt, of: "bound"))
            default: return ""
            }
        }

        /// Whether the session of the app whose tokens are not bound lives, at each node.
        func isOtherAlive() async throws -> [Bool] {
            var answers: [Bool] = []
            for node in site.nodes.indices {
                let token = user.session.member("access_token")
                answers.append(try await site.send(.bearing(token), at: node).status == 200)
            }
            return answers
        }
    }

    private static let scope =
        "openid offline_access device_sso https://authgear.com/scopes/full-access"

    /// What a thief sends beside a token, and what that is called.
    private struct Try {
        var sentence: String
        var scheme = "DPoP"
        var proofs: [String]
        var error = "invalid_dpop_proof"
        /// Whether the proof is none at all: the token endpoint says so before it sees the token.
        var isWrongAnywhere = false

        /// Status, error and `WWW-Authenticate` (WireContract 6.4 and 9.1).
        func expected(of kind: TokenConsumer.Kind) -> [String] {
            let challenge = "DPoP error=\"\(error)\", algs=\"ES256 RS256 EdDSA\""
            switch kind {
            case .tokenEndpoint where isWrongAnywhere: return ["400 \(error)", ""]
            case .tokenEndpoint, .resource: return ["401 \(error)", challenge]
            case .envelope: return ["401 Unauthenticated", challenge]
            }
        }
    }

    private static func tries(_ consumer: TokenConsumer, _ holder: Holder, _ good: String) throws
        -> [Try]
    {
        let thief = try PhoneKey("ES256")
        func proof(
            by key: PhoneKey? = nil,
            _ more: String = "",
            _ method: String? = nil,
            of token: String? = ""
        ) throws -> String {
            try holder.site.proof(
                by: key ?? holder.phone,
                of: holder.path(of: consumer) + more,
                method: method ?? consumer.method,
                for: token.map { $0 + holder.token }
            )
        }
        return [
            Try(sentence: "as Bearer", scheme: "Bearer", proofs: [], error: "invalid_token"),
            Try(
                sentence: "as Bearer, with its proof",
                scheme: "Bearer",
                proofs: [good],
                error: "invalid_token"
            ),
            Try(sentence: "without a proof", proofs: []),
            Try(sentence: "by a key of the thief's", proofs: [try proof(by: thief)]),
            Try(sentence: "by a proof without ath", proofs: [try proof(of: nil)]),
            Try(sentence: "by a proof for another token", proofs: [try proof(of: "x")]),
            Try(
                sentence: "by a proof for another route",
                proofs: [try proof("/x")],
                isWrongAnywhere: true
            ),
            Try(
                sentence: "by a proof for another method",
                proofs: [try proof("", "PUT")],
                isWrongAnywhere: true
            ),
            Try(sentence: "by two proofs", proofs: [good, good], isWrongAnywhere: true),
        ]
    }

    @Test(
        "attack: a stolen one, at every route that takes one",
        arguments: TokenConsumer.allCases
    )
    func stolen(_ consumer: TokenConsumer) async throws {
        let project = try await Self.project()
        let site = project.site
        let holder = try await Holder(at: site)
        #expect(holder.session.member("token_type") == "DPoP")
        let path = holder.path(of: consumer)
        let body = try await holder.body(of: consumer)
        func ask(_ proofs: [String], as scheme: String = "DPoP", at node: Int) async throws
            -> WireAnswer
        {
            var headers = [(name: "Authorization", value: "\(scheme) \(holder.token)")]
            headers += proofs.map { (name: "DPoP", value: $0) }
            return try await site.send(WireRequest(consumer.method, path, headers, body), at: node)
        }
        let good = try site.proof(
            by: holder.phone,
            of: path,
            method: consumer.method,
            for: holder.token
        )
        let race = try Race(at: project)
        for attempt in try Self.tries(consumer, holder, good) {
            for node in site.nodes.indices {
                let answer = try await ask(attempt.proofs, as: attempt.scheme, at: node)
                let said = [answer.outcome, answer["www-authenticate"] ?? ""]
                #expect(said == attempt.expected(of: consumer.kind), "\(attempt.sentence)")
            }
        }
        #expect(try race.events() == [:])
        #expect(try await holder.isOtherAlive() == site.nodes.map { _ in true })
        let right = try await ask([good], at: 0)
        #expect(right.status == 200, "\(right.text)")
        let isEnded = consumer == .end || consumer == .endOthers
        #expect(try await holder.isOtherAlive() == site.nodes.map { _ in !isEnded })
        let replay = try await ask([good], at: 0)
        let used = Try(sentence: "once more", proofs: []).expected(of: consumer.kind)
        #expect([replay.outcome, replay["www-authenticate"] ?? ""] == used)
    }

    @Test("introspection says which key it is bound to; by whom it comes does not matter")
    func introspection() async throws {
        let project = try await Self.project()
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

    /// Refused without a proof and by each of these, at each node.
    private static func refuse(
        _ form: GrantForm.Fields,
        by keys: [PhoneKey],
        _ project: TestProject
    ) async throws {
        let proofs = try keys.map { try project.site.proof(by: $0) }
        for proof in [nil] + proofs {
            let sentence = proof == nil ? "without a proof" : "by another key"
            try await project.refuse([(sentence, form)], as: "400 invalid_dpop_proof", proof: proof)
        }
    }

    @Test("attack: a guest's refresh token without the key of the proof that it came by")
    func exchange() async throws {
        let project = try await Self.project()
        let site = project.site
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
        try await Self.refuse(refresh, by: [holder.phone], project)
        #expect(try await site.token(refresh, proof: site.proof(by: guest)).status == 200)
    }

    @Test("attack: a device secret that was born under a key opens a URL without it")
    func secret() async throws {
        let project = try await Self.project()
        let site = project.site
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
        try await Self.refuse(form, by: [PhoneKey("ES256")], project)
        #expect(try await site.token(form, proof: site.proof(by: phone)).status == 200)
    }

    @Test("attack: a proof that was made before, where the project wants its nonce in it")
    func nonces() async throws {
        let project = try await TestProject.named("nonces", nonces: true)
        let site = project.site
        let phone = try PhoneKey("ES256")
        var person = Person(at: site)
        let form = GrantForm.code(try await person.code("bound", scope: Self.scope), of: "bound")
        let early = try site.proof(by: phone)
        try await project.refuse([("early", form)], as: "400 use_dpop_nonce", proof: early)
        let asked = try await site.token(form, proof: early, at: 0)
        let nonce = try #require(asked["dpop-nonce"])
        let altered = (nonce.hasPrefix("A") ? "B" : "A") + nonce.dropFirst()
        let forged = try site.proof(by: phone, nonce: altered)
        try await project.refuse([("forged", form)], as: "400 use_dpop_nonce", proof: forged)
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
