import Issuing
import OAuth

@testable import Signing

private let experienced = PhoneJWTReader()

extension Target {
    /// Nothing that was not signed counts as signed; no reader of others' JWTs traps.
    static let jwt = Target("jwt") { bytes in
        let reader = PhoneJWTReader()
        var isSigned = false
        for kind in ClientJWT.Kind.allCases {
            let jwt = try? reader.open(bytes, as: kind)
            // One that has seen this header before, and many others.
            let again = try? experienced.open(bytes, as: kind)
            precondition(
                jwt?.key == again?.key && jwt?.keyID == again?.keyID
                    && jwt?.algorithm == again?.algorithm && jwt?.signed == again?.signed,
                "a header that is known says something else"
            )
            guard let jwt else { continue }
            precondition(bytes.starts(with: jwt.signed), "signed bytes that were not sent")
            guard let key = jwt.key, reader.isSigned(jwt, by: key) else { continue }
            isSigned = true
            // What counts as signed, does so as it is: with another bit nowhere, and by no other.
            for bit in [0, jwt.signed.count * 4, jwt.signed.count * 8 - 1] {
                var altered = jwt
                altered.signed[bit / 8] ^= 1 << UInt8(bit % 8)
                precondition(!reader.isSigned(altered, by: key), "what was not signed is")
            }
            var unsigned = jwt
            unsigned.signature[jwt.signature.count / 2] ^= 1
            precondition(!reader.isSigned(unsigned, by: key), "another signature signs, too")
        }
        let client = AssertionVerifier().claimedSubject(of: bytes)
        guard let jws = CompactJWS(bytes) else {
            precondition(client == nil, "a client of no token")
            return false
        }
        precondition(bytes.count <= CompactJWS.bytesMax, "a token beyond its bound")
        let text = jws.body.signed + [UInt8(ascii: ".")] + Base64URL.encode(jws.body.signature)
        precondition(text == bytes, "two texts of one token")
        return isSigned && client != nil
    }
}
