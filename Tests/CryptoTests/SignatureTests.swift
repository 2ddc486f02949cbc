import Runtime
import Testing

import Crypto

@Suite("Signatures") struct SignatureTests {
    static let ecKey = PublicKey.p256(
        x: base64url("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
        y: base64url("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
    )
    static let ecSignature = base64url(
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    )

    @Test("ES256 of RFC 7515 appendix A.3") func es256() throws {
        let key = try VerificationKey(Self.ecKey, for: .es256)
        let message = Array("eyJhbGciOiJFUzI1NiJ9.\(joe)".utf8)
        #expect(key.accepts(Self.ecSignature, of: message))
        #expect(!key.accepts(Self.ecSignature, of: message + [0]))
        #expect(key.accepts(Self.ecSignature, of: message), "a failure leaves the context usable")
    }

    @Test("RS256 of RFC 7515 appendix A.2") func rs256() throws {
        let key = try VerificationKey(
            .rsa(modulus: rfc7515Modulus, exponent: [1, 0, 1]),
            for: .rs256
        )
        let signature = base64url(
            """
            cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Q
            c_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTy
            WzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwu
            sC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5A
            XLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
            """
        )
        let message = Array("eyJhbGciOiJSUzI1NiJ9.\(joe)".utf8)
        #expect(key.accepts(signature, of: message))
        #expect(!key.accepts(Array(signature.reversed()), of: message))
    }

    @Test("EdDSA of RFC 8037 appendix A.4, signed and checked") func edDSA() throws {
        let seed = base64url("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A")
        let der = hex("302e020100300506032b657004220420") + seed
        let key = try SigningKey(pkcs8: Secret(der), for: .edDSA)
        #expect(
            key.publicKey == .ed25519(base64url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        )
        let message = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
        let signature = base64url(
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        )
        #expect(try key.sign(message) == signature)
        #expect(try VerificationKey(key.publicKey, for: .edDSA).accepts(signature, of: message))
    }

    @Test(
        "a made key signs, goes through PKCS #8 and signs again",
        arguments: [
            SignatureAlgorithm.es256, .rs256, .ps256, .edDSA,
        ]
    )
    func roundTrip(_ algorithm: SignatureAlgorithm) throws {
        let made = try SigningKey.generate(algorithm)
        let read = try SigningKey(pkcs8: made.pkcs8(), for: algorithm)
        #expect(read.publicKey == made.publicKey)
        let check = try VerificationKey(made.publicKey, for: algorithm)
        for count in 0..<20 {
            let message = SecureRandom.bytes(count * 7)
            for signature in [try made.sign(message), try read.sign(message)] {
                #expect(check.accepts(signature, of: message))
                var changed = signature
                changed[changed.count / 2] ^= 1
                #expect(!check.accepts(changed, of: message))
                #expect(!check.accepts(Array(signature.dropLast()), of: message))
                #expect(!check.accepts(signature + [0], of: message))
            }
        }
    }

    @Test("many threads share one key") func sharedKey() async throws {
        let key = try SigningKey.generate(.es256)
        let check = try VerificationKey(key.publicKey, for: .es256)
        let accepted = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<50).count { round in
                        let message = [UInt8(task), UInt8(round)]
                        guard let signature = try? key.sign(message) else { return false }
                        return check.accepts(signature, of: message)
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(accepted == 400)
    }
}
