import Issuing
import OAuth

@testable import Signing

private let experienced = PhoneJWTReader()

extension Target {
    /// Nothing that was not signed counts as signed; readers of phones' JWTs never trap.
    static let jwt = Target("jwt") { bytes in
        let reader = PhoneJWTReader()
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
            if let key = jwt.key { _ = reader.isSigned(jwt, by: key) }
        }
        guard let jws = CompactJWS(bytes) else { return }
        precondition(bytes.count <= CompactJWS.bytesMax, "a token beyond its bound")
        let text = jws.body.signed + [UInt8(ascii: ".")] + Base64URL.encode(jws.body.signature)
        precondition(text == bytes, "two texts of one token")
    }
}
