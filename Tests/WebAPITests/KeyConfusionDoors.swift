import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing
import WebAPI

extension KeyConfusionTests {
    static let doors = deviceKeys + biometricKeys + proofs

    /// So many attacks from one address would be too many.
    private static let unlimited: [RequestLimit: RequestLimit.Rate] = [
        .failedRequest: .init(perMinute: 0)
    ]

    private static func encoded(_ jwt: String) -> String { jwt.replacing("=", with: "%3D") }

    // MARK: Device keys

    private static let deviceKeys = [
        Door(testDescription: "the redemption of a code", refusal: "400 invalid_request") {
            let web = try await WebSide(limits: unlimited)
            let code = try await web.side.code()
            return try opened(web, Phone()) {
                try await DeviceKeyTests.redeem(web, code: code, jwt: encoded($0))
            }
        },
        Door(testDescription: "a renewal", refusal: "400 invalid_request") {
            let owner = try await App2AppTests.Owner(WebSide(limits: unlimited))
            let code = try await owner.web.side.code(scope: "openid", renewing: owner.session)
            return try opened(owner.web, owner.phone) {
                try await DeviceKeyTests.redeem(owner.web, code: code, jwt: encoded($0))
            }
        },
        Door(testDescription: "an approval by the bound key", refusal: "400 invalid_request") {
            let owner = try await App2AppTests.Owner(WebSide(limits: unlimited))
            return try opened(owner.web, owner.phone) { try await owner.approve(encoded($0)) }
        },
        Door(testDescription: "an approval that binds", refusal: "400 invalid_request") {
            let web = try await WebSide(limits: unlimited)
            let always = Instant(microseconds: .max)
            try await App2AppTests.configure(web, .init(insecureBindingUntil: always))
            let owner = try await App2AppTests.Owner(web, bound: false)
            return try opened(web, owner.phone) { try await owner.approve(encoded($0)) }
        },
    ]

    private static func opened(
        _ web: WebSide,
        _ phone: Phone,
        send: @escaping @Sendable (String) async throws -> Answer
    ) throws -> Opened {
        let payload = DeviceKeyTests.payload(web)
        let draft = Draft(phone: phone, header: phone.header(), payload: payload)
        return Opened(web: web, draft: draft, send: send)
    }

    // MARK: Biometric keys

    private static let biometricKeys = [
        Door(testDescription: "a biometric setup", refusal: "400 invalid_request") {
            let user = try await BiometricTests.User(WebSide(limits: unlimited), registered: false)
            return opened(user, "setup") { try await user.setUp(encoded($0)) }
        },
        Door(
            testDescription: "a biometric login",
            refusal: "400 invalid_request",
            wrongSignature: "400 invalid_grant InvalidCredentials"
        ) {
            let user = try await BiometricTests.User(WebSide(limits: unlimited))
            return opened(user, "authenticate") { try await user.authenticate(encoded($0)) }
        },
        Door(
            testDescription: "an approval by a biometric key",
            refusal: "400 invalid_request",
            wrongSignature: "400 invalid_grant InvalidCredentials"
        ) {
            let user = try await BiometricTests.User(WebSide(limits: unlimited))
            return opened(user, "authenticate_app2app") {
                try await user.authenticate(encoded($0), user.link)
            }
        },
    ]

    private static func opened(
        _ user: BiometricTests.User,
        _ action: String,
        send: @escaping @Sendable (String) async throws -> Answer
    ) -> Opened {
        var payload = DeviceKeyTests.payload(user.web, .biometric)
            .setting("action", .string(action))
        if action == "authenticate_app2app" { payload = payload.setting("client_id", "other") }
        let header = user.phone.header(BiometricTests.type).setting("kid", .string(user.kid))
        let draft = Draft(phone: user.phone, header: header, payload: payload)
        return Opened(web: user.web, draft: draft, send: send)
    }

    // MARK: Proofs of possession

    private static let proofs = [
        Door(
            testDescription: "a proof at the token endpoint",
            refusal: "400 invalid_dpop_proof",
            isProof: true
        ) {
            let web = try await WebSide(limits: unlimited)
            let phone = try Phone()
            let born = try await DPoPTests.redeem(web, proof: DPoPTests.proof(phone, "born"))
            let token = try #require(born["refresh_token"]?.string)
            return opened(web, phone, "/oauth2/token") {
                try await DPoPTests.refresh(web, token, ["dpop": $0])
            }
        },
        Door(
            testDescription: "a proof of a pushed request",
            refusal: "400 invalid_dpop_proof",
            isProof: true
        ) {
            let web = try await WebSide(limits: unlimited)
            return opened(web, try Phone(), "/oauth2/par") {
                try await PushedRequestTests.push(web, [:], ["dpop": $0])
            }
        },
        Door(
            testDescription: "a proof for a token of a browser",
            refusal: "403 InvalidDPoPKeyBinding",
            isProof: true
        ) {
            let web = try await WebSide(limits: unlimited)
            try await BiometricTests.User.allowFullAccess(web)
            let phone = try Phone()
            let born = try await DPoPTests.redeem(
                web,
                proof: DPoPTests.proof(phone, "born"),
                scope: AppSessionTokenTests.scope
            )
            let token = try #require(born["refresh_token"]?.string)
            return opened(web, phone, AppSessionTokenTests.path) {
                try await AppSessionTokenTests.ask(web, token, ["dpop": $0])
            }
        },
        resource("userinfo", "/oauth2/userinfo", "401 invalid_dpop_proof"),
        resource("a user's own things", "/api/v1/sessions", "401 Unauthenticated"),
    ]

    private static func resource(_ name: String, _ path: String, _ refusal: String) -> Door {
        Door(testDescription: "a proof at \(name)", refusal: refusal, isProof: true) {
            let holder = try await DPoPResourceTests.Holder(failuresPerMinute: 0)
            let hash = holder.web.side.digester.sha256(Array(holder.token.utf8)).bytes
            let ath = JSON.string(Base64URL.text(hash))
            return opened(holder.web, holder.phone, path, "GET", ath: ath) {
                try await holder.ask(path, $0)
            }
        }
    }

    private static func opened(
        _ web: WebSide,
        _ phone: Phone,
        _ path: String,
        _ method: String = "POST",
        ath: JSON? = nil,
        send: @escaping @Sendable (String) async throws -> Answer
    ) -> Opened {
        let url = "https://auth.example.com" + path
        let payload = DPoPTests.payload("right", at: url, method: method).setting("ath", ath)
        let draft = Draft(phone: phone, header: phone.header("dpop+jwt"), payload: payload)
        return Opened(web: web, draft: draft, send: send)
    }
}
