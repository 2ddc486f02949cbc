import Foundation
import TestSupport
import Testing

/// A route that takes what a phone signed (WireContract 6.2 and 6.4).
struct PhoneDoor: Sendable, CustomTestStringConvertible {
    /// A request that has everything right but the JWT that it waits for.
    struct Opened: Sendable {
        let phone: PhoneKey
        /// What is right in its place, as in a script.
        let options: [String: String]
        let request: @Sendable (String) -> WireRequest

        /// By the phone, or by another key in its place.
        func asking(by key: PhoneKey? = nil, _ changes: [String: String] = [:]) throws
            -> WireRequest
        {
            var said = options
            if said["claim.jti"] != nil { said["claim.jti"] = UUID().uuidString }
            return request(try (key ?? phone).jwt(said.merging(changes) { $1 }))
        }
    }

    let testDescription: String
    /// What it says to a JWT that is none.
    var refusal = "400 invalid_request"
    /// Whether a wrong signature by a known key is one of few guesses (limit L8).
    var isCounted = false
    /// Lets the owner of a key get as far as the JWT.
    let open: @Sendable (Site, PhoneKey) async throws -> Opened

    static let all = deviceKeys + biometricKeys + proofs

    // MARK: Device keys

    static let deviceKeys = [
        Self(testDescription: "a login") { site, phone in
            var person = Person(at: site)
            return try await redeeming(try await person.code(), phone, site)
        },
        Self(testDescription: "a renewal") { site, phone in
            var person = Person(at: site)
            let session = try await person.session(on: phone)
            return try await redeeming(try await person.renewal(of: session), phone, site)
        },
        Self(testDescription: "an approval") { site, phone in
            var person = Person(at: site)
            return try await approving(try await person.session(on: phone), phone, site)
        },
        Self(testDescription: "an approval that binds its key") { site, phone in
            var person = Person(at: site)
            return try await approving(try await person.session("loose"), phone, site)
        },
    ]

    private static func answering(_ kind: PhoneJWT, _ site: Site) async throws -> [String: String] {
        ["typ": kind.type, "challenge": try await site.challenge(kind)]
    }

    private static func redeeming(_ code: String, _ phone: PhoneKey, _ site: Site)
        async throws -> Opened
    {
        Opened(phone: phone, options: try await answering(.app2app, site)) {
            .token(GrantForm.code(code, [("x_app2app_device_key_jwt", $0)]))
        }
    }

    private static func approving(_ session: WireAnswer, _ phone: PhoneKey, _ site: Site)
        async throws -> Opened
    {
        let owner = session.member("refresh_token")
        return Opened(phone: phone, options: try await answering(.app2app, site)) {
            .token(GrantForm.app2app(owner, $0))
        }
    }

    // MARK: Biometric keys

    static let biometricKeys = [
        Self(testDescription: "a biometric setup") { site, phone in
            let user = try await BiometricUser(at: site, by: phone)
            let token = user.session.member("access_token")
            return Opened(phone: phone, options: try await saying("setup", user)) {
                let form = SignIn.form(GrantForm.biometric($0))
                return .bearing(token, "POST", "/oauth2/token", form)
            }
        },
        Self(testDescription: "a biometric login", isCounted: true) { site, phone in
            let user = try await BiometricUser.enrolled(at: site, by: phone)
            return Opened(phone: phone, options: try await saying("authenticate", user)) {
                .token(GrantForm.biometric($0))
            }
        },
        Self(testDescription: "a biometric approval", isCounted: true) { site, phone in
            let user = try await BiometricUser.enrolled(at: site, by: phone)
            var options = try await saying("authenticate_app2app", user)
            options["claim.client_id"] = "invest"
            return Opened(phone: phone, options: options) {
                .token(GrantForm.biometric($0, GrantForm.link()))
            }
        },
    ]

    private static func saying(_ action: String, _ user: BiometricUser)
        async throws -> [String: String]
    {
        try await answering(.biometric, user.site)
            .merging(["claim.action": action, "header.kid": user.kid]) { $1 }
    }

    // MARK: Proofs of possession

    static let proofs = [
        Self(testDescription: "a proof of a login", refusal: "400 invalid_dpop_proof") {
            site,
            phone in
            var person = Person(at: site)
            let form = GrantForm.code(try await person.code())
            return proving(phone, site, "/oauth2/token") { .token(form, proof: $0) }
        },
        Self(testDescription: "a proof of a pushed request", refusal: "400 invalid_dpop_proof") {
            site,
            phone in
            let form = SignIn.form([
                ("client_id", "app"), ("response_type", "code"), ("scope", "openid"),
                ("redirect_uri", SignIn.redirectURIs["app"] ?? ""),
                ("code_challenge", SignIn.challenge), ("code_challenge_method", "S256"),
            ])
            return proving(phone, site, "/oauth2/par") {
                WireRequest("POST", "/oauth2/par", [("DPoP", $0)], form)
            }
        },
        Self(testDescription: "a proof of who asks for the user", refusal: "401 invalid_dpop_proof")
        { site, phone in
            var person = Person(at: site)
            let proof = try site.proof(by: phone)
            let session = try await person.session("bound", proof: proof)
            let token = session.member("access_token") ?? ""
            let hash = ["claim.ath": PhoneKey.digest(token)]
            return proving(phone, site, "/oauth2/userinfo", "GET", hash) {
                WireRequest(
                    "GET",
                    "/oauth2/userinfo",
                    [("Authorization", "DPoP \(token)"), ("DPoP", $0)]
                )
            }
        },
        Self(
            testDescription: "a proof of who asks for our pages",
            refusal: "403 InvalidDPoPKeyBinding"
        ) { site, phone in
            var person = Person(at: site)
            let proof = try site.proof(by: phone)
            let session = try await person.session(scope: Person.everything, proof: proof)
            let asking = WireRequest.appSession(session.member("refresh_token"))
            return proving(phone, site, asking.target) {
                var asking = asking
                asking.headers.append(("DPoP", $0))
                return asking
            }
        },
    ]

    private static func proving(
        _ phone: PhoneKey,
        _ site: Site,
        _ path: String,
        _ method: String = "POST",
        _ more: [String: String] = [:],
        request: @escaping @Sendable (String) -> WireRequest
    ) -> Opened {
        let right = [
            "typ": "dpop+jwt", "claim.jti": "", "claim.htm": method,
            "claim.htu": site.origin + path,
        ]
        return Opened(phone: phone, options: right.merging(more) { $1 }, request: request)
    }
}
