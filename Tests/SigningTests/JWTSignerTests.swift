import Crypto
import Domain
import Issuing
import OAuth
import Testing

import Signing

@Suite("Tokens of a project") struct JWTSignerTests {
    let keys: ScratchKeys
    let vault: SigningKeyVault
    let key: GeneratedKey
    let project: Project
    let signer: JWTSigner

    init() throws {
        keys = try ScratchKeys()
        vault = keys.vault()
        key = try vault.generateNow(.es256)
        project = try Sample.project([key])
        signer = JWTSigner(vault)
    }

    private func decoded(_ token: [UInt8], part: Int) throws -> String {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        return Sample.text(try #require(Base64URL.decode(parts[part])))
    }

    @Test("an access token reads as RFC 9068 and WireContract 8.3 say") func accessToken() throws {
        let token = try signer.sign(Sample.accessClaims(), for: project)
        #expect(
            try decoded(token, part: 0) == #"{"typ":"at+jwt","alg":"ES256","kid":"\#(key.kid)"}"#
        )
        #expect(
            try decoded(token, part: 1)
                == #"{"iss":"https://auth.example.com","#
                + #""aud":["https://api.example.com","https://auth.example.com"],"#
                + #""sub":"019a9f3c-2f10-7000-8000-000000000004","client_id":"client_a","#
                + #""iat":1795232554,"exp":1795233454,"#
                + #""jti":"019a9f3c-2f10-7000-8000-000000000003","#
                + #""scope":"offline_access openid","#
                + #""sid":"019a9f3c-2f10-7000-8000-000000000005","auth_time":1795232500,"#
                + #""acr":"urn:chancery:acr:email-link","amr":["otp"],"#
                + #""cnf":{"jkt":"AAAAAAAAAAEAAAAAAAAAAgAAAAAAAAADAAAAAAAAAAQ"}}"#
        )
    }

    @Test("with full access it ends with the constant claims of an ID token, and not without")
    func userClaims() throws {
        let constant =
            #","https://authgear.com/claims/user/is_anonymous":false,"#
            + #""https://authgear.com/claims/user/is_verified":true,"#
            + #""https://authgear.com/claims/user/can_reauthenticate":true,"#
            + #""https://authgear.com/claims/user/roles":[]}"#
        var claims = try Sample.accessClaims()
        for (scope, hasThem) in [
            (BuiltInScopes.fullAccess, true), ("openid \(BuiltInScopes.fullAccess)", true),
            (BuiltInScopes.fullUserInfo, false), ("openid email", false),
        ] {
            claims.scope = try #require(Scope(scope))
            let token = try signer.sign(claims, for: project)
            #expect(try decoded(token, part: 1).hasSuffix(constant) == hasThem, "\(scope)")
            #expect(signer.verifyAccessToken(token, of: project, at: Sample.now)?.said == claims)
        }
        let identity = try signer.sign(
            Sample.idClaims(),
            beside: nil,
            with: .es256,
            for: project
        )
        #expect(try decoded(identity, part: 1).hasSuffix(constant))
    }

    @Test("an ID token reads as WireContract 8.4 says, with the hash of the access token")
    func idToken() throws {
        let access = Array("abc".utf8)
        let token = try signer.sign(
            Sample.idClaims(),
            beside: access,
            with: .es256,
            for: project
        )
        #expect(
            try decoded(token, part: 1)
                == #"{"iss":"https://auth.example.com","#
                + #""sub":"019a9f3c-2f10-7000-8000-000000000004","#
                + #""aud":"client_a","iat":1795232554,"exp":1795232854,"nonce":"n-0S6_\"WzA2Mj","#
                + #""auth_time":1795232554,"acr":"urn:chancery:acr:device-key","#
                + #""amr":["hwk","user"],"sid":"019a9f3c-2f10-7000-8000-000000000005","#
                + #""at_hash":"ungWv48Bz-pBQUDeXa4iIw","#
                + #""https://authgear.com/claims/user/is_anonymous":false,"#
                + #""https://authgear.com/claims/user/is_verified":true,"#
                + #""https://authgear.com/claims/user/can_reauthenticate":true,"#
                + #""https://authgear.com/claims/user/roles":[]}"#
        )
    }

    @Test(
        "what was signed verifies to the same claims",
        arguments: [
            SigningKeyRing.Algorithm.es256, .rs256, .edDSA,
        ]
    )
    func roundTrip(_ algorithm: SigningKeyRing.Algorithm) throws {
        let made = try vault.generateNow(algorithm)
        var other = try Sample.project([made])
        var settings = other.settings
        settings.signingAlgorithm = algorithm
        other = Project(
            number: other.number,
            settings: settings,
            digest: other.digest,
            configuration: other.configuration,
            keys: other.keys,
            keysStream: other.keysStream,
            keysVersion: 1
        )
        let claims = try Sample.accessClaims()
        let token = try signer.sign(claims, for: other)
        #expect(signer.verifyAccessToken(token, of: other, at: Sample.now)?.said == claims)
        let identity = try Sample.idClaims()
        let idToken = try signer.sign(identity, beside: nil, with: algorithm, for: other)
        #expect(signer.verifyIDToken(idToken, of: other)?.said == identity)
        #expect(signer.verifyAccessToken(token, of: other, at: Sample.now)?.key == made.kid)
        #expect(signer.verifyIDToken(idToken, of: other)?.key == made.kid)
        // Another node has the ring and no private key.
        let elsewhere = JWTSigner(try ScratchKeys().vault())
        #expect(elsewhere.verifyAccessToken(token, of: other, at: Sample.now)?.said == claims)
        #expect(throws: SigningError.noKey(algorithm)) { try elsewhere.sign(claims, for: other) }
    }

    @Test("a key that did not sign is not called missing; a caller is told the same of both")
    func failed() {
        let (missing, failed) = (
            OAuthError(SigningError.noKey(.rs256)), OAuthError(SigningError.failed(.rs256))
        )
        #expect(failed.code == missing.code)
        #expect(failed.refusal?.description == missing.refusal?.description)
        #expect(failed.description.description == missing.description.description)
        #expect(missing.cause == "no current key here: RS256")
        #expect(failed.cause == "the key is here and did not sign: RS256")
    }

    @Test("client credentials have neither session nor authentication") func machine() throws {
        var claims = try Sample.accessClaims()
        claims.session = nil
        claims.authentication = nil
        claims.confirmation = nil
        claims.scope = .empty
        let token = try signer.sign(claims, for: project)
        #expect(signer.verifyAccessToken(token, of: project, at: Sample.now)?.said == claims)
        #expect(try !decoded(token, part: 1).contains("scope"))
    }

    @Test("an access token is refused from the second it expires") func expiry() throws {
        let claims = try Sample.accessClaims()
        let token = try signer.sign(claims, for: project)
        let last = claims.expiresAt.adding(seconds: -1)
        #expect(signer.verifyAccessToken(token, of: project, at: last)?.said == claims)
        #expect(signer.verifyAccessToken(token, of: project, at: claims.expiresAt) == nil)
    }

    @Test("an expired ID token still verifies, as a hint") func expiredHint() throws {
        let token = try signer.sign(
            Sample.idClaims(),
            beside: nil,
            with: .es256,
            for: project
        )
        #expect(signer.verifyIDToken(token, of: project)?.said == (try Sample.idClaims()))
    }

    @Test("an ID token is no access token, and the reverse") func typesApart() throws {
        let access = try signer.sign(Sample.accessClaims(), for: project)
        let identity = try signer.sign(
            Sample.idClaims(),
            beside: nil,
            with: .es256,
            for: project
        )
        #expect(signer.verifyIDToken(access, of: project) == nil)
        #expect(signer.verifyAccessToken(identity, of: project, at: Sample.now) == nil)
        let claims = Base64URL.decode(access.split(separator: UInt8(ascii: "."))[1]) ?? []
        let response = try signer.sign(
            type: "token-introspection+jwt",
            claims: claims,
            for: project
        )
        #expect(signer.verifyAccessToken(response, of: project, at: Sample.now) == nil)
    }

    @Test("a token of another issuer with the same keys is refused") func otherIssuer() throws {
        let other = try Sample.project([key], origin: "https://auth.example.org")
        let token = try signer.sign(Sample.accessClaims(), for: project)
        #expect(signer.verifyAccessToken(token, of: other, at: Sample.now) == nil)
    }

    @Test(
        "which keys of the ring verify",
        arguments: [
            (SigningKeyRing.Status.staged, true), (.current, true), (.previous, true),
            (.removed, false), (.compromised(issuedBefore: Instant(seconds: 0)), false),
        ]
    )
    func ring(_ status: SigningKeyRing.Status, _ verifies: Bool) throws {
        let token = try signer.sign(Sample.accessClaims(), for: project)
        let later = try Sample.project([key], status: status)
        #expect((signer.verifyAccessToken(token, of: later, at: Sample.now) != nil) == verifies)
    }

    @Test("every changed byte is refused") func tampering() throws {
        let token = try signer.sign(Sample.accessClaims(), for: project)
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : 0x41
            #expect(
                signer.verifyAccessToken(changed, of: project, at: Sample.now) == nil,
                "byte \(index)"
            )
        }
        #expect(signer.verifyAccessToken(token + [0x2E], of: project, at: Sample.now) == nil)
        #expect(signer.verifyAccessToken([], of: project, at: Sample.now) == nil)
    }

    @Test(
        "a foreign header is refused although key and signature are right",
        arguments: [
            #"{"alg":"none","typ":"at+jwt"}"#, #"{"alg":"HS256","typ":"at+jwt","kid":"KID"}"#,
            #"{"typ":"at+jwt","alg":"ES256","kid":"KID","crit":["x"],"x":1}"#,
            #"{"typ":"at+jwt","alg":"ES256","kid":"KID","jku":"https://x.example"}"#,
            #"{"typ":"AT+JWT","alg":"ES256","kid":"KID"}"#, #"{"alg":"ES256","kid":"KID"}"#,
        ]
    )
    func headers(_ header: String) throws {
        let stolen = try keys.privateKey(key.kid)
        let token = try signer.sign(Sample.accessClaims(), for: project)
        let payload = Array(token.split(separator: UInt8(ascii: "."))[1])
        let named = header.replacing("KID", with: key.kid)
        let signed = Base64URL.encode(Array(named.utf8)) + [UInt8(ascii: ".")] + payload
        let forged =
            try signed + [UInt8(ascii: ".")] + Base64URL.encode(stolen.sign(signed))
        #expect(signer.verifyAccessToken(forged, of: project, at: Sample.now) == nil)
    }

    @Test("an EdDSA at_hash is half of SHA-512") func edDSAHash() throws {
        let made = try vault.generateNow(.edDSA)
        let both = try Sample.project([key, made])
        let token = try signer.sign(
            Sample.idClaims(),
            beside: Array("abc".utf8),
            with: .edDSA,
            for: both
        )
        let half = Base64URL.text(Array(SHA512.hash(Array("abc".utf8)).prefix(32)))
        #expect(try decoded(token, part: 1).contains(#""at_hash":"\#(half)""#))
    }
}
