import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

/// A signing key that an operator gave up at another node, which this one has not heard of: from
/// the first request after it nothing by that key counts (WireContract 9.7).
@Suite("A compromised key") struct CompromisedKeyTests {
    /// A user's phone and the tokens of its app, by a key that the log knows.
    struct Side {
        let keys: RealKeys
        let web: WebSide
        let user: BiometricTests.User

        init() async throws {
            keys = try RealKeys()
            web = try await WebSide(signer: keys.signer, keys: keys.ring)
            let now = web.side.clock.now
            try await web.side.changeKeys([
                .stage(kid: keys.kid, .es256, publicKey: keys.publicKey, at: now),
                .promote(kid: keys.kid, emergency: true, at: now),
            ])
            user = try await BiometricTests.User(web, registered: false)
        }

        func giveUpKey(isHeard: Bool) async throws {
            let command = SigningKeyRing.Command.compromise(
                kid: keys.kid,
                issuedBefore: web.side.clock.now
            )
            try await web.side.changeKeys([command], isHeard: isHeard)
        }

        func get(_ path: String, with token: String) async throws -> Answer {
            try await web.send(.get, path, headers: ["authorization": "Bearer \(token)"])
        }

        func post(_ form: String, with token: String) async throws -> Answer {
            try await web.post("/oauth2/token", form, ["authorization": "Bearer \(token)"])
        }
    }

    /// What is asked with a token by that key.
    ///
    /// Made ready before the key is given up.
    struct Row: Sendable, CustomTestStringConvertible {
        typealias Ask = () async throws -> Answer

        var testDescription: String
        var good: String
        var refused: String
        var prepare: @Sendable (Side) async throws -> Ask
    }

    static let rows = [
        Row(testDescription: "userinfo", good: "200", refused: "401 invalid_token") { side in
            { try await side.get("/oauth2/userinfo", with: side.user.accessToken) }
        },
        Row(testDescription: "a user's sessions", good: "200", refused: "401 Unauthenticated") {
            side in
            { try await side.get("/api/v1/sessions", with: side.user.accessToken) }
        },
        Row(testDescription: "a new biometric key", good: "200", refused: "401 invalid_token") {
            side in
            let jwt = try side.user.jwt("setup")
            return { try await side.user.setUp(jwt) }
        },
        Row(testDescription: "an id token", good: "200", refused: "401 invalid_token") { side in
            let form = "grant_type=urn:authgear:params:oauth:grant-type:id-token&client_id=app"
            return { try await side.post(form, with: side.user.accessToken) }
        },
        Row(testDescription: "native SSO", good: "200", refused: "400 invalid_request") { side in
            let form = try NativeSSOTests.form(try await NativeSSOTests.session(side.web))
            return { try await NativeSSOTests.send(side.web, form) }
        },
        Row(testDescription: "a URL", good: "200", refused: "400 invalid_request") { side in
            let session = try await PreAuthenticatedURLTests.session(side.web)
            return { try await PreAuthenticatedURLTests.exchange(side.web, session) }
        },
        Row(
            testDescription: "a visit by URL",
            good: "303",
            refused: "303 invalid_request"
        ) { side in
            let session = try await PreAuthenticatedURLTests.session(side.web)
            let exchanged = try await PreAuthenticatedURLTests.exchange(side.web, session)
            return { try await PreAuthenticatedURLTests.open(side.web, exchanged) }
        },
    ]

    @Test("of another node's operator opens nothing here", arguments: rows)
    func elsewhere(_ row: Row) async throws {
        let side = try await Side()
        let ask = try await row.prepare(side)
        try await side.giveUpKey(isHeard: false)
        let answer = try await side.web.expectNothingRecorded { try await ask() }
        // What has no key to sign by says so before it looks; the key is what is looked at here.
        #expect(answer.word == row.refused, "\(answer.body)")
    }

    @Test("that nobody gave up opens what it should", arguments: rows)
    func good(_ row: Row) async throws {
        let answer = try await row.prepare(try await Side())()
        #expect(answer.word == row.good, "\(answer.body)")
    }

    @Test("its tokens are inactive, of sessions as of services") func introspection() async throws {
        for isService in [false, true] {
            let side = try await Side()
            var token = side.user.accessToken
            if isService {
                let answer = try await side.web.post(
                    "/oauth2/token",
                    "grant_type=client_credentials",
                    ["authorization": "Basic YXBpOmEtc2VjcmV0"]
                )
                token = try #require(answer["access_token"]?.string)
            }
            let owner = isService ? "api" : "app"
            #expect(try await side.web.side.isActive(Array(token.utf8), asked: owner))
            try await side.giveUpKey(isHeard: false)
            #expect(try await !side.web.side.isActive(Array(token.utf8), asked: owner))
        }
    }

    @Test("signs no service's token here any more") func service() async throws {
        let side = try await Side()
        try await side.giveUpKey(isHeard: false)
        let answer = try await side.web.post(
            "/oauth2/token",
            "grant_type=client_credentials",
            ["authorization": "Basic YXBpOmEtc2VjcmV0"]
        )
        #expect(answer.word == "500 server_error", "\(answer.body)")
    }

    @Test("signs none for a service that signs its request either, which spends nothing")
    func signingService() async throws {
        let side = try await Side()
        var caller = try side.web.side.caller("api")
        caller.assertion = VerifiedAssertion(
            id: Array("once".utf8),
            expiresAt: side.web.side.clock.now.adding(seconds: 60)
        )
        try await side.giveUpKey(isHeard: false)
        let count = side.web.side.store.commits.count
        await expect(refusal: .serverError) {
            try await side.web.side.endpoint.respond(
                to: RequestParameters(["grant_type": "client_credentials"]),
                from: caller
            )
        }
        #expect(side.web.side.store.commits.count == count)
    }

    @Test("without a successor takes neither code nor refresh token, and the session goes on")
    func keyless() async throws {
        let side = try await Side()
        let code = try await side.web.side.code()
        let stranger = try RealKeys()
        try await side.giveUpKey(isHeard: true)
        for form in [
            "grant_type=refresh_token&client_id=app&refresh_token=\(side.user.refreshToken)",
            "grant_type=authorization_code&client_id=app&code=\(code)"
                + "&redirect_uri=\(TokenSide.redirectURI)&code_verifier=\(TokenSide.verifier)",
            "grant_type=client_credentials",
        ] {
            let headers: KeyValuePairs<String, String> =
                form.hasSuffix("credentials") ? ["authorization": "Basic YXBpOmEtc2VjcmV0"] : [:]
            let answer = try await side.web.expectNothingRecorded {
                try await side.web.post("/oauth2/token", form, headers)
            }
            #expect(answer.word == "500 server_error", "\(form): \(answer.body)")
            #expect(answer.refusal?.id == "SG-001")
        }
        // Nor where the ring's new key is on another node alone.
        let now = side.web.side.clock.now
        try await side.web.side.changeKeys([
            .stage(kid: stranger.kid, .es256, publicKey: stranger.publicKey, at: now),
            .promote(kid: stranger.kid, emergency: true, at: now),
        ])
        let answer = try await side.web.expectNothingRecorded {
            try await DPoPTests.refresh(side.web, side.user.refreshToken)
        }
        #expect(answer.word == "500 server_error")
    }
}
