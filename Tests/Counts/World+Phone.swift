import Crypto
import Domain
import HTTPServer
import InMemory
import Issuing
import OAuth
import Runtime
import Signing
import WebAPI

/// What a phone of the one user signs and holds, and what it asks for.
extension World {
    /// Something signed, and the key that it is verified by.
    struct Signed {
        let bytes: [UInt8]
        let key: VerificationKey

        /// Verifies it, as whoever takes it must.
        func verify() throws {
            guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")),
                let signature = Base64URL.decode(bytes[(dot + 1)...]),
                key.accepts(signature, of: Array(bytes[..<dot]))
            else { throw Malformed() }
        }
    }

    static let keyID = "0f64a7d9-6f0e-4a0c-8f4e-1d5c8b1f2a3b"
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let tokenType = "urn:ietf:params:oauth:token-type:id_token"
    private static let secretType = "urn:x-oath:params:oauth:token-type:device-secret"
    private static let urlType =
        "urn:authgear:params:oauth:token-type:pre-authenticated-url-token"

    /// The same for every process of a count: a verification takes thousands of instructions more
    /// or fewer from one key and signature to the next.
    func kept(_ name: String, _ make: () throws -> [UInt8]) throws -> [UInt8] {
        let file = "\(folder)/\(name)"
        if let bytes = try? FileReading.bytes(at: file, bytesMax: 4096) { return bytes }
        let bytes = try make()
        try FileWriting.replace(file, with: bytes)
        return bytes
    }

    /// A JWT by the phone's key; `header` with a comma before it.
    func signedByPhone(
        _ name: String,
        header: (_ jwk: String) -> String,
        _ payload: String
    ) throws -> Signed {
        let phone = try SigningKey.generate(.es256)
        guard case .p256(let newX, let newY) = phone.publicKey else { throw Malformed() }
        let bytes = try kept(name) {
            let parts = [#"{"alg":"ES256"\#(header(Self.jwk(newX, newY)))}"#, payload].map {
                Base64URL.encode(Array($0.utf8))
            }
            let signed = parts[0] + [UInt8(ascii: ".")] + parts[1]
            return signed + [UInt8(ascii: ".")] + Base64URL.encode(try phone.sign(signed))
        }
        let point = try kept("\(name)-key") { Array(newX) + Array(newY) }
        let key = PublicKey.p256(x: Array(point.prefix(32)), y: Array(point.dropFirst(32)))
        return Signed(bytes: bytes, key: try VerificationKey(key, for: .es256))
    }

    private static func jwk(_ x: [UInt8], _ y: [UInt8]) -> String {
        #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.text(x))","y":"\#(Base64URL.text(y))"}"#
    }

    // MARK: A biometric key

    func biometricLogin() throws -> Signed {
        let challenge = Challenges(digester: digester, clock: clock, entropy: SeededEntropy())
            .issue(.biometric, in: project)
        return try signedByPhone(
            "login",
            header: { _ in #","typ":"vnd.authgear.biometric-request","kid":"\#(Self.keyID)""# },
            """
            {"challenge":"\(String(decoding: challenge.text, as: UTF8.self))",\
            "iat":\(Self.now.seconds),"exp":\(Self.now.seconds + 300),"action":"authenticate"}
            """
        )
    }

    func biometricRequest(_ login: Signed) -> WebAPI.Request {
        tokenRequest(
            """
            grant_type=urn:authgear:params:oauth:grant-type:biometric-request&client_id=app&jwt=
            """,
            login.bytes
        )
    }

    /// The key that signed `login`; the session it opened last is that of the device secret.
    func biometricKey(of login: Signed) throws -> BiometricKey.State {
        guard case .p256(let x, let y) = login.key.publicKey else { throw Malformed() }
        let jwk = Array(Self.jwk(x, y).utf8)
        let thumbprint = Thumbprint(digest: digester.sha256(jwk))
        var registration = BiometricKey.Registration(
            subject: subject,
            client: client,
            kid: Self.keyID,
            key: DeviceKey(thumbprint: thumbprint, jwk: jwk),
            algorithm: "ES256",
            enabledAt: Self.now
        )
        registration.session = device
        return .enabled(Shared(registration))
    }

    // MARK: A device secret

    var deviceSecret: OpaqueToken {
        OpaqueToken(
            .deviceSecret,
            stream: device.stream,
            secret: [UInt8](repeating: 9, count: 32),
            digester: digester
        )
    }

    func deviceSession() throws -> OfflineGrant.State {
        let scope = try Self.some(Scope(Self.deviceScope))
        let first = RefreshToken.first(
            of: device,
            family: 1,
            from: SeededEntropy(),
            digester: digester
        )
        let opened = try OfflineGrant.decide(
            Self.opening(first, subject, nil, client, scope),
            in: .absent
        )
        var state = try Self.some(OfflineGrant.fold(opened))
        let secret = OfflineGrant.Sharing.issueDeviceSecret(
            deviceSecret.digest,
            key: nil,
            at: Self.now
        )
        state = try Self.some(
            OfflineGrant.fold(try OfflineGrant.decide(.share(secret), in: state), from: state)
        )
        return state
    }

    /// The ID token that goes with the device secret.
    func deviceIdentity() throws -> Signed {
        let claims = IDTokenClaims(
            subject: subject,
            audience: client,
            issuedAt: Self.now,
            expiresAt: Self.now.adding(seconds: 3600).wholeMilliseconds,
            authentication: Authentication(methods: [.otp], at: Self.now),
            session: device,
            deviceSecretHash: digester.mac(.deviceSecretHash, deviceSecret.digest.bytes)
        )
        let bytes = try kept("identity") {
            try signer.sign(claims, beside: nil, with: .es256, for: project)
        }
        let jwk = try JSONReader.read(try Self.some(project.keys.keys.first).publicKey)
        let point = try ["x", "y"].map { name in
            try Self.some(jwk[name]?.string.flatMap { Base64URL.decode(Array($0.utf8)) })
        }
        let key = PublicKey.p256(x: point[0], y: point[1])
        return Signed(bytes: bytes, key: try VerificationKey(key, for: .es256))
    }

    func urlRequest(_ identity: Signed) -> WebAPI.Request {
        tokenRequest(
            """
            grant_type=\(Self.exchange)&client_id=offers&audience=\(project.issuer)\
            &requested_token_type=\(Self.urlType)&subject_token_type=\(Self.tokenType)\
            &actor_token_type=\(Self.secretType)\
            &actor_token=\(String(decoding: deviceSecret.text, as: UTF8.self))&subject_token=
            """,
            identity.bytes
        )
    }

    private func tokenRequest(_ form: String, _ last: [UInt8]) -> WebAPI.Request {
        request(
            .post,
            "/oauth2/token",
            ["content-type": "application/x-www-form-urlencoded"],
            Array(form.utf8) + last
        )
    }
}
