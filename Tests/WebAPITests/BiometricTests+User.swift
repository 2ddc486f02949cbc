import Crypto
import Domain
import InMemory
import Issuing
import OAuth
import TestSupport
import Testing

extension BiometricTests {
    /// A user's phone, logged in, perhaps with its key registered.
    struct User {
        let web: WebSide
        let phone: Phone
        let kid: String
        /// What it logged in by.
        let code: String
        let accessToken: String
        let refreshToken: String

        init(
            _ web: WebSide,
            kid: String = "kid-0001",
            registered: Bool = true,
            of somebody: SubjectID? = nil,
            approval: LoginLink.Approval? = nil
        ) async throws {
            self.web = web
            phone = try Phone()
            self.kid = kid
            try await Self.allowFullAccess(web)
            code = try await web.side.code(
                scope: "openid offline_access \(UserAccess.scope)",
                of: somebody,
                approval: approval
            )
            let answer = try await DeviceKeyTests.redeem(web, code: code, jwt: nil)
            accessToken = try #require(answer["access_token"]?.string)
            refreshToken = try #require(answer["refresh_token"]?.string)
            guard registered else { return }
            let setup = try await setUp(jwt("setup"))
            #expect(setup.status == 200, "\(setup.body)")
            #expect(setup.body == "{}")
        }

        /// What it takes to set a key up.
        static func allowFullAccess(_ web: WebSide) async throws {
            let id = web.side.project.settings.id
            var settings = try #require(web.side.projects.project(id: id)).settings
            guard !settings.clients[0].allowedScopes.contains(UserAccess.scope) else { return }
            settings.clients[0].allowedScopes = settings.clients[0].allowedScopes
                .union(Sample.scope(UserAccess.scope))
            try await web.side.apply(settings)
        }

        /// A JWT with everything right but what is changed.
        func jwt(
            _ action: String,
            embeds: Bool? = nil,
            by signer: SigningKey? = nil,
            _ change: (Members) -> Members = { $0 }
        ) throws -> String {
            let payload = DeviceKeyTests.payload(web, .biometric)
                .setting("action", .string(action))
            let header = phone.header(BiometricTests.type, embeds: embeds ?? (action == "setup"))
                .setting("kid", .string(kid))
            return try phone.jwt(header, change(payload), by: signer)
        }

        func setUp(_ jwt: String, token: String? = nil, client: String = "app") async throws
            -> Answer
        {
            try await web.post(
                "/oauth2/token",
                "grant_type=\(BiometricTests.grant)&client_id=\(client)&jwt=\(jwt)",
                ["authorization": "Bearer \(token ?? accessToken)"]
            )
        }

        func authenticate(_ jwt: String, _ more: String = "") async throws -> Answer {
            try await web.post(
                "/oauth2/token",
                "grant_type=\(BiometricTests.grant)&client_id=app&jwt=\(jwt)\(more)"
            )
        }

        /// The parameters of an approval.
        var link: String {
            let digest = web.side.digester.sha256(Array(TokenSide.verifier.utf8))
            return "&redirect_uri=\(TokenSide.redirectURI)"
                + "&code_challenge=\(Base64URL.text(digest.bytes))"
        }
    }
}

extension BiometricTests.User {
    /// Somebody with another phone.
    struct Stranger {
        let user: BiometricTests.User
        let phone: Phone

        init(_ user: BiometricTests.User) throws {
            self.user = user
            phone = try Phone()
        }

        func signed() throws -> String { try user.jwt("authenticate", by: phone.key) }

        func embedded() throws -> String {
            let header = phone.header(BiometricTests.type).setting("kid", .string(user.kid))
            let payload = DeviceKeyTests.payload(user.web, .biometric)
                .setting("action", "authenticate")
            return try phone.jwt(header, payload)
        }

        func unknown() throws -> String {
            let header = phone.header(BiometricTests.type).setting("kid", "kid-9999")
            let payload = DeviceKeyTests.payload(user.web, .biometric)
                .setting("action", "authenticate")
            return try phone.jwt(header, payload)
        }
    }
}
