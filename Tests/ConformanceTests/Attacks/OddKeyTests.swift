import Foundation
import TestSupport
import Testing

/// Headers and keys that are well formed, rightly signed, and refused nevertheless (security.md 3;
/// wire contract, 6.2 and 6.4).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks by odd keys", .serialized, .timeLimit(.minutes(3))) struct OddKeyTests {
    private typealias Row = (sentence: String, options: [String: String])

    private static func project() async throws -> TestProject { try await TestProject.named("odd") }

    private static let headers: [Row] = [
        (
            "an extension that must be understood",
            ["header.crit": "json:['x_more']", "header.x_more": "json:1"]
        ),
        ("a payload that is not encoded", ["header.b64": "json:false"]),
        (
            "one that says so twice",
            ["header.crit": "json:['b64']", "header.b64": "json:false"]
        ),
        ("a chain of certificates", ["header.x5c": "json:['MIIB']"]),
        ("a key from elsewhere", ["header.jku": "https://evil.example/keys"]),
        ("a chain from elsewhere", ["header.x5u": "https://evil.example/chain"]),
        ("compressed", ["header.zip": "DEF"]),
    ]

    private static let keys: [Row] = [
        (
            "a symmetric key, and its MAC",
            [
                "header.alg": "HS256", "signature": "mac", "jwk.kty": "oct", "jwk.k": "c2VjcmV0",
                "jwk.crv": "absent", "jwk.x": "absent", "jwk.y": "absent",
            ]
        ),
        ("a symmetric part", ["jwk.k": "c2VjcmV0"]),
        ("its private half", ["jwk.d": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"]),
        ("off the curve", ["jwk.y": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"]),
        ("a key set", ["jwk.keys": "json:[]", "jwk.kty": "absent"]),
    ]

    /// Too short and too long; both sign rightly.
    private static let sizes = Result {
        try [1024, 8192].map { (sentence: "RSA of \($0) bits", key: try PhoneKey(rsaBits: $0)) }
    }

    /// All that one phone, and some others, sign where a key is to be bound.
    private static func forged(_ jwt: (PhoneKey, [String: String]) throws -> String) throws
        -> [(sentence: String, jwt: String)]
    {
        let phone = try PhoneKey("ES256")
        return try (headers + keys).map { ($0.sentence, try jwt(phone, $0.options)) }
            + sizes.get().map { ($0.sentence, try jwt($0.key, [:])) }
    }

    @Test("attack: a device key comes with a login") func deviceKey() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let code = try await person.code()
        let challenge = try await site.challenge(.app2app)
        func form(_ jwt: String) -> GrantForm.Fields {
            GrantForm.code(code, [("x_app2app_device_key_jwt", jwt)])
        }
        let rows = try Self.forged { try $0.jwt(.app2app, challenge: challenge, $1) }
        try await project.refuse(rows.map { ($0, form($1)) }, as: "400 invalid_request")
        let good = try PhoneKey("RS256").jwt(.app2app, challenge: challenge)
        #expect(try await site.token(form(good)).status == 200)
    }

    @Test("attack: a biometric key is set up, and a known one logs in") func biometric()
        async throws
    {
        let project = try await Self.project()
        let user = try await BiometricUser(at: project.site)
        let challenge = try await project.site.challenge(.biometric)
        func setup(_ jwt: String) -> WireRequest {
            .bearing(
                user.session.member("access_token"),
                "POST",
                "/oauth2/token",
                SignIn.form(GrantForm.biometric(jwt))
            )
        }
        let named = ["claim.action": "setup", "header.kid": user.kid]
        let rows = try Self.forged { key, options in
            try key.jwt(.biometric, challenge: challenge, named.merging(options) { $1 })
        }
        try await project.refuse(
            requests: rows.map { ($0, setup($1)) },
            as: "400 invalid_request"
        )
        let good = try user.finger.jwt(.biometric, challenge: challenge, named)
        #expect(try await project.site.send(setup(good)).status == 200)
        let next = try await project.site.challenge(.biometric)
        var logins: [(sentence: String, request: WireRequest)] = []
        for (sentence, options) in Self.headers {
            logins.append((sentence, try await user.login(challenge: next, saying: options)))
        }
        try await project.refuse(requests: logins, as: "400 invalid_request")
        let login = try await user.login(challenge: next)
        #expect(try await project.site.send(login).status == 200)
    }

    @Test("attack: a proof comes with a login") func proof() async throws {
        let project = try await Self.project()
        let site = project.site
        var person = Person(at: site)
        let form = GrantForm.code(try await person.code())
        func proof(_ key: PhoneKey, _ options: [String: String]) throws -> String {
            let right = [
                "typ": "dpop+jwt", "claim.htm": "POST", "claim.htu": "\(site.origin)/oauth2/token",
                "claim.jti": UUID().uuidString,
            ]
            return try key.jwt(right.merging(options) { $1 })
        }
        let rows = try Self.forged(proof)
        try await project.refuse(
            requests: rows.map { ($0, .token(form, proof: $1)) },
            as: "400 invalid_dpop_proof"
        )
        let good = try proof(try PhoneKey("RS256"), [:])
        #expect(try await site.token(form, proof: good).status == 200)
    }
}
