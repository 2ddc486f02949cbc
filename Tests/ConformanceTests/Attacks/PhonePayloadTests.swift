import EventFormat
import TestSupport
import Testing

/// What a phone signed well, and may not, or what another signed in its name (Security 4.3, 4.4
/// and 4.10; WireContract 6.2 and 6.4).
///
/// One test at a time: each counts what the log of its project gains.
@Suite("Attacks by what phones sign", .serialized, .timeLimit(.minutes(3)))
struct PhonePayloadTests {
    private typealias Row = (sentence: String, options: [String: String])

    /// Where a code lasts as long as it takes to show it in all these ways.
    private static let patient = Task {
        let project = try await TestProject.named("payloads")
        try await project.change(
            "  dpop_nonce: false",
            to: "  dpop_nonce: false\n  authorization_code_lifetime_seconds: 600"
        )
        return project
    }

    private static func project() async throws -> TestProject { try await patient.value }

    /// Where all projects are alike but for their keys.
    private static func neighbour() async throws -> Site {
        try await TestProject.named("neighbour").site
    }

    private static let times: [Row] = [
        ("made long ago", ["claim.iat": "now-320"]),
        ("made in the future", ["claim.iat": "now+320", "claim.exp": "now+380"]),
        ("expired", ["claim.iat": "now-290", "claim.exp": "now-320"]),
        ("good later", ["claim.nbf": "now+320"]),
        ("good for too long", ["claim.exp": "now+620"]),
        ("without iat", ["claim.iat": "absent"]), ("without exp", ["claim.exp": "absent"]),
        ("iat as text", ["claim.iat": "text:now"]),
    ]

    private static let types: [Row] = [
        ("the typ of any JWT", ["typ": "JWT"]), ("the typ of a proof", ["typ": "dpop+jwt"]),
        ("the typ of our own tokens", ["typ": "at+jwt"]), ("no typ", ["header.typ": "absent"]),
    ]

    /// Other challenges than the one that is right.
    private static func challenges(_ kind: PhoneJWT, _ challenge: String, _ site: Site)
        async throws -> [Row]
    {
        let other: PhoneJWT = kind == .app2app ? .biometric : .app2app
        func altered(_ place: Int) -> String {
            var letters = Array(challenge)
            letters[place] = letters[place] == "A" ? "B" : "A"
            return String(letters)
        }
        return [
            ("the typ of the other kind", ["typ": other.type]),
            ("no challenge", ["claim.challenge": "absent"]),
            ("a challenge for the other purpose", ["challenge": try await site.challenge(other)]),
            (
                "a challenge of another project",
                ["challenge": try await neighbour().challenge(kind)]
            ),
            ("a challenge with another purpose", ["challenge": altered(3)]),
            ("a challenge with another expiry", ["challenge": altered(8)]),
            ("a challenge with another nonce", ["challenge": altered(18)]),
            ("a challenge with another MAC", ["challenge": altered(challenge.count - 1)]),
            ("a challenge that is cut", ["challenge": String(challenge.dropLast())]),
        ]
    }

    @Test(
        "attack: a JWT of another time or kind, for somebody else, or over no challenge for it",
        arguments: PhoneDoor.deviceKeys + PhoneDoor.biometricKeys
    )
    func misused(_ door: PhoneDoor) async throws {
        let project = try await Self.project()
        let site = project.site
        let opened = try await door.open(site, try PhoneKey("ES256"))
        let challenge = try #require(opened.options["challenge"])
        let kind: PhoneJWT = opened.options["claim.action"] == nil ? .app2app : .biometric
        var rows = Self.times + Self.types
        rows += try await Self.challenges(kind, challenge, site)
        rows += [
            ("for another server", ["claim.aud": "https://auth.example.org"]),
            ("for another project", ["claim.aud": try await Self.neighbour().origin]),
        ]
        let misnamed = try opened.asking(["claim.client_id": "choosy"])
        // Apps delete their key on InvalidCredentials alone (WireContract 5.5).
        let isLogin = opened.options["claim.action"] == "authenticate"
        try await project.refuse(
            requests: [("for another client", misnamed)],
            as: isLogin ? "400 invalid_grant" : door.refusal
        )
        try await project.refuse(
            requests: try rows.map { ($0.sentence, try opened.asking($0.options)) },
            as: door.refusal
        )
        let good = try await site.send(try opened.asking(["claim.aud": site.origin]))
        #expect(good.status == 200, "\(good.text)")
    }

    @Test(
        "attack: another signs in a phone's name; a guess counts only where a key is known",
        arguments: PhoneDoor.deviceKeys + PhoneDoor.biometricKeys
    )
    func signers(_ door: PhoneDoor) async throws {
        let project = try await Self.project()
        let site = project.site
        let opened = try await door.open(site, try PhoneKey("ES256"))
        var requests: [(sentence: String, request: WireRequest)] = [
            ("another signer", try opened.asking(["signature": "other"])),
            ("a MAC by the public key", try opened.asking(["signature": "mac"])),
            ("no signature", try opened.asking(["signature": "none"])),
        ]
        guard door.isCounted else {
            try await project.refuse(requests: requests, as: door.refusal)
            #expect(try await site.send(try opened.asking()).status == 200)
            return
        }
        requests.append(("a thief's key", try opened.asking(by: try PhoneKey("ES256"))))
        let race = try Race(at: project)
        for (sentence, request) in requests {
            for node in site.nodes.indices {
                let answer = try await site.send(request, at: node)
                #expect(answer.outcome == "400 invalid_grant", "\(sentence): \(answer.text)")
                #expect(answer.member("error_description") == "InvalidCredentials", "\(sentence)")
            }
        }
        let guesses = requests.count * site.nodes.count
        #expect(try race.events() == [.biometricKeyVerificationFailed: guesses])
        #expect(try await site.send(try opened.asking()).status == 200)
    }

    private static let proofs: [Row] =
        types.filter { $0.options["typ"] != "dpop+jwt" } + [
            ("the typ of an approval", ["typ": PhoneJWT.app2app.type]),
            ("made long ago", ["claim.iat": "now-320"]),
            ("made in the future", ["claim.iat": "now+320", "claim.exp": "now+380"]),
            ("expired", ["claim.exp": "now-320"]), ("good later", ["claim.nbf": "now+320"]),
            ("without iat", ["claim.iat": "absent"]), ("iat as text", ["claim.iat": "text:now"]),
            ("without jti", ["claim.jti": "absent"]), ("an empty jti", ["claim.jti": ""]),
            ("a long jti", ["claim.jti": String(repeating: "x", count: 65)]),
            ("without its key", ["jwk": "no"]), ("for another method", ["claim.htm": "PUT"]),
            ("another signer", ["signature": "other"]), ("no signature", ["signature": "none"]),
            ("a MAC by the public key", ["signature": "mac"]),
            ("for no method", ["claim.htm": "absent"]), ("for no route", ["claim.htu": "absent"]),
        ]

    @Test(
        "attack: a proof of another time or kind, for another route, or by another signer",
        arguments: PhoneDoor.proofs
    )
    func proof(_ door: PhoneDoor) async throws {
        let project = try await Self.project()
        let site = project.site
        let opened = try await door.open(site, try PhoneKey("ES256"))
        let path = (opened.options["claim.htu"] ?? "").dropFirst(site.origin.count)
        var elsewhere: [Row] = [
            ("for another server", ["claim.htu": "https://auth.example.org\(path)"]),
            ("for another project", ["claim.htu": try await Self.neighbour().origin + path]),
            ("for another route", ["claim.htu": "\(site.origin)\(path)/x"]),
        ]
        // Of a client whose tokens are bound (WireContract 6.4).
        if opened.options["claim.ath"] != nil {
            elsewhere.append(("made two minutes ahead", ["claim.iat": "now+120"]))
        }
        try await project.refuse(
            requests: try (Self.proofs + elsewhere).map {
                ($0.sentence, try opened.asking($0.options))
            },
            as: door.refusal
        )
        let good = try await site.send(try opened.asking())
        #expect(200...201 ~= good.status, "\(good.text)")
    }
}
