import Foundation
import TestSupport
import Testing

/// Algorithms that no key has, and headers and keys that are well formed and refused nevertheless,
/// rightly signed or not (Security 3; WireContract 6.2 and 6.4).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks by odd keys", .serialized, .timeLimit(.minutes(3))) struct OddKeyTests {
    private typealias Row = (sentence: String, options: [String: String])

    private static func project() async throws -> TestProject { try await TestProject.named("odd") }

    private static let algorithms: [Row] = [
        ("none", ["header.alg": "none", "signature": "none"]),
        ("None", ["header.alg": "None", "signature": "none"]),
        ("none, with the signature", ["header.alg": "none"]),
        ("no algorithm", ["header.alg": "absent", "signature": "none"]),
        ("a MAC by the public key", ["header.alg": "HS256", "signature": "mac"]),
        ("another algorithm than the key's", ["header.alg": "RS256"]),
    ]

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
        ("8 KiB and more", ["claim.more": String(repeating: "x", count: 8 * 1024)]),
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

    @Test(
        "attack: what a phone signed comes under an odd header, or is by an odd key",
        arguments: PhoneDoor.all
    )
    func refused(_ door: PhoneDoor) async throws {
        let project = try await Self.project()
        let opened = try await door.open(project.site, try PhoneKey("ES256"))
        var forged: [(sentence: String, request: WireRequest)] = []
        for (sentence, options) in Self.algorithms + Self.headers + Self.keys {
            forged.append((sentence, try opened.asking(options)))
        }
        for (sentence, key) in try Self.sizes.get() {
            forged.append((sentence, try opened.asking(by: key)))
        }
        try await project.refuse(requests: forged, as: door.refusal)
        let good = try await project.site.send(try opened.asking())
        #expect(200...201 ~= good.status, "\(good.text)")
    }

    @Test("a key of RSA, and for proofs one of Ed25519, is as good", arguments: PhoneDoor.all)
    func others(_ door: PhoneDoor) async throws {
        let site = try await Self.project().site
        let isProof = PhoneDoor.proofs.contains { $0.testDescription == door.testDescription }
        let phone = try PhoneKey(isProof ? "EdDSA" : "RS256")
        let answer = try await site.send(try await door.open(site, phone).asking())
        #expect(200...201 ~= answer.status, "\(answer.text)")
    }
}
