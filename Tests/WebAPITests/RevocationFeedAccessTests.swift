import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import Signing
import TestSupport
import Testing
import WebAPI

/// Whose token reads the feed, and how it is shown (WireContract 9.1 and 12.1).
@Suite("Who may read the revocation feed") struct RevocationFeedAccessTests {
    /// A service whose token is bound to its key.
    struct Reader: Sendable {
        let web: FeedSide
        let phone: Phone
        let token: String
        private let url: String
        /// Where the feed is.
        private let host: String

        init(at origin: String = "https://feed.example.com", wantsNonces: Bool = false)
            async throws
        {
            web = try await FeedSide()
            var settings = web.side.project.settings
            settings.projectorOrigin = origin
            settings.requiresDPoPNonce = wantsNonces
            try await web.side.apply(settings)
            phone = try Phone()
            token = try web.token(boundTo: Self.key(of: phone))
            url = origin + "/revocations"
            host = String(origin.dropFirst("https://".count))
        }

        func get(_ authorization: String, _ proof: String?) async throws -> Answer {
            try await web.get(at: host, authorization: authorization, proof: proof)
        }

        private static func key(of phone: Phone) throws -> Thumbprint {
            let proof = try phone.jwt(phone.header("dpop+jwt"), DPoPTests.payload("key"))
            let jwt = try PhoneJWTReader().open(Array(proof.utf8), as: .dpop)
            return try Fixture.some(jwt.key).thumbprint
        }

        /// A proof for a token, this reader's own unless named, with everything else right.
        func proof(
            by signer: Phone? = nil,
            for other: String? = nil,
            _ change: (Members) -> Members = { $0 }
        ) throws -> String {
            let signer = signer ?? phone
            let hash = web.side.digester.sha256(Array((other ?? token).utf8)).bytes
            let payload = DPoPTests.payload("1", at: url, method: "GET")
                .setting("ath", .string(Base64URL.text(hash)))
            return try signer.jwt(signer.header("dpop+jwt"), change(payload))
        }
    }

    // MARK: - How a token is shown

    /// A token, how it is shown, and what is answered.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isBound = true
        var scheme = "DPoP"
        /// Nil: none is sent.
        var proof: (@Sendable (Members) -> Members)? = { $0 }
        var isByAnotherKey = false
        var answer = "401 invalid_dpop_proof"
        var challenge: String? = #"DPoP error="invalid_dpop_proof", algs="ES256 RS256 EdDSA""#
    }

    static let rows = [
        Row(
            testDescription: "a bound token as DPoP with its proof",
            answer: "200",
            challenge: nil
        ),
        Row(
            testDescription: "the same, the query in htu",
            proof: { $0.setting("htu", "https://feed.example.com/revocations?limit=5") },
            answer: "200",
            challenge: nil
        ),
        Row(
            testDescription: "a bound token as Bearer",
            scheme: "Bearer",
            proof: nil,
            answer: "401 invalid_token",
            challenge: #"DPoP error="invalid_token", algs="ES256 RS256 EdDSA""#
        ),
        Row(
            testDescription: "a bound token as Bearer beside its proof",
            scheme: "Bearer",
            answer: "401 invalid_token",
            challenge: #"DPoP error="invalid_token", algs="ES256 RS256 EdDSA""#
        ),
        Row(testDescription: "a bound token without proof", proof: nil),
        Row(testDescription: "a proof by another key", isByAnotherKey: true),
        Row(
            testDescription: "a proof for the issuer, where the feed has an origin of its own",
            proof: { $0.setting("htu", "https://auth.example.com/revocations") }
        ),
        Row(
            testDescription: "a proof for another path",
            proof: { $0.setting("htu", "https://feed.example.com/oauth2/userinfo") }
        ),
        Row(testDescription: "a proof for a POST", proof: { $0.setting("htm", "POST") }),
        Row(testDescription: "a proof without ath", proof: { $0.setting("ath", nil) }),
        Row(testDescription: "a proof for another token", proof: { $0.setting("ath", "AAAA") }),
        Row(
            testDescription: "a proof of before",
            proof: { $0.setting("iat", .integer(DPoPTests.now - 301)) }
        ),
        Row(
            testDescription: "an unbound token as Bearer",
            isBound: false,
            scheme: "Bearer",
            proof: nil,
            answer: "200",
            challenge: nil
        ),
        Row(
            testDescription: "an unbound token as Bearer beside a proof that is none",
            isBound: false,
            scheme: "Bearer",
            proof: { $0.setting("htm", "POST") },
            answer: "200",
            challenge: nil
        ),
        Row(
            testDescription: "an unbound token as DPoP",
            isBound: false,
            answer: "401 invalid_token",
            challenge: #"Bearer error="invalid_token""#
        ),
    ]

    @Test(
        "a bound token reads as DPoP with its proof alone, an unbound one as Bearer",
        arguments: rows
    )
    func shows(_ row: Row) async throws {
        let reader = try await Reader()
        let token = row.isBound ? reader.token : try reader.web.token()
        let signer = row.isByAnotherKey ? try Phone() : reader.phone
        let proof = try row.proof.map { try reader.proof(by: signer, for: token, $0) }
        let answer = try await reader.get("\(row.scheme) \(token)", proof)
        #expect(answer.word == row.answer, "\(answer.body)")
        #expect(answer.field("WWW-Authenticate") == (row.challenge.map { [$0] } ?? []))
    }

    @Test("a feed with an origin of its own is read there, at the issuer, and nowhere else")
    func ownHost() async throws {
        let web = try await Reader(at: "https://feed.example.com:8443").web
        let token = "Bearer \(try web.token())"
        for (host, status) in [("feed", 200), ("auth", 200), ("www", 421)] {
            let answer = try await web.get(at: "\(host).example.com", authorization: token)
            #expect(answer.status == status, "\(host): \(answer.body)")
        }
    }

    @Test("a proof is good once") func once() async throws {
        let reader = try await Reader()
        let proof = try reader.proof()
        for expected in ["200", "401 invalid_dpop_proof"] {
            let answer = try await reader.get("DPoP \(reader.token)", proof)
            #expect(answer.word == expected, "\(answer.body)")
        }
    }

    @Test("a proof names the issuer where the feed has no origin of its own") func issuer()
        async throws
    {
        let reader = try await Reader(at: "https://auth.example.com")
        let answer = try await reader.get("DPoP \(reader.token)", reader.proof())
        #expect(answer.word == "200", "\(answer.body)")
    }

    @Test("no nonce is asked for, also where the project wants nonces in proofs")
    func nonces() async throws {
        let reader = try await Reader(wantsNonces: true)
        let answer = try await reader.get("DPoP \(reader.token)", reader.proof())
        #expect(answer.word == "200", "\(answer.body)")
        #expect(answer.field("DPoP-Nonce").isEmpty)
    }

    @Test("a token that is for other audiences alone does not read") func audiences()
        async throws
    {
        let web = try await FeedSide()
        let (issuer, api) = ("https://auth.example.com", "https://api.example.com")
        for (audience, expected) in [
            ([api], "401 invalid_token"), ([], "401 invalid_token"), ([api, issuer], "200"),
        ] as [([String], String)] {
            let token = try web.token(for: audience)
            let answer = try await web.get(authorization: "Bearer \(token)")
            #expect(answer.word == expected, "\(audience)")
        }
    }

    // MARK: - Whose token it is

    /// What happens to a client on another node.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let happen: @Sendable (TokenSide) async throws -> Void
    }

    static let changes = [
        Change(testDescription: "disabled") { side in
            var settings = side.project.settings
            for index in settings.clients.indices where settings.clients[index].id.text == "api" {
                settings.clients[index].enabled = false
            }
            try await side.apply(settings, isHeard: false)
        },
        Change(testDescription: "removed") { side in
            try await side.apply(withoutClient(side.project.settings), isHeard: false)
        },
        Change(testDescription: "removed, and back") { side in
            try await side.apply(withoutClient(side.project.settings))
            side.clock.advance(seconds: 1)
            try await side.apply(side.project.settings, isHeard: false)
        },
    ]

    private static func withoutClient(_ settings: ProjectSettings) -> ProjectSettings {
        var settings = settings
        settings.clients.removeAll { $0.id.text == "api" }
        return settings
    }

    @Test("a token reads no more when its client, unheard of here, is", arguments: changes)
    func ends(_ change: Change) async throws {
        let web = try await FeedSide()
        let authorization = "Bearer \(try web.token())"
        #expect(try await web.get(authorization: authorization).status == 200)
        web.side.clock.advance(seconds: 1)
        try await change.happen(web.side)
        let answer = try await web.get(authorization: authorization)
        #expect(answer.word == "401 invalid_token", "\(answer.body)")
        #expect(answer.field("WWW-Authenticate") == [#"Bearer error="invalid_token""#])
    }

    @Test("what ends in a suspended project is told, too", arguments: [true, false])
    func suspended(_ isHeard: Bool) async throws {
        let web = try await FeedSide()
        try await web.side.suspend(isHeard: isHeard)
        #expect(try await web.get().status == 200)
    }

    @Test("a client that came back reads with a new token") func back() async throws {
        let web = try await FeedSide()
        try await web.side.apply(Self.withoutClient(web.side.project.settings))
        web.side.clock.advance(seconds: 1)
        try await web.side.apply(web.side.project.settings)
        #expect(try await web.get().status == 200)
    }

    @Test("while the log does not answer nobody hears that a token is bad") func silence()
        async throws
    {
        let web = try await FeedSide(log: SilentLog())
        let answer = try await web.get()
        #expect(answer.word == "503 temporarily_unavailable")
        #expect(answer.field("Retry-After") == ["1"])
    }
}

/// Does not answer.
private struct SilentLog: ProjectDirectory {
    func project(host: String) -> Project? { nil }

    func project(id: ProjectID) -> Project? { nil }

    var all: [Project] { [] }

    func reload(_ number: ProjectNumber, by deadline: Deadline) async throws(StoreError) {
        throw .unavailable
    }

    func withCurrentKeys(_ project: Project, by deadline: Deadline)
        async throws(StoreError) -> Project
    {
        throw .unavailable
    }
}
