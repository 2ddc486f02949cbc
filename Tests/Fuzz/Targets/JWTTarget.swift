import Issuing
import OAuth

@testable import Signing

extension Target {
    /// Nothing that was not signed counts as signed; readers of phones' JWTs never trap.
    static let jwt = Target("jwt") { bytes in
        let reader = PhoneJWTReader()
        for kind in ClientJWT.Kind.allCases {
            guard let jwt = try? reader.open(bytes, as: kind) else { continue }
            precondition(bytes.starts(with: jwt.signed), "signed bytes that were not sent")
            if let key = jwt.key { _ = reader.isSigned(jwt, by: key) }
        }
        guard let jws = CompactJWS(bytes) else { return }
        precondition(bytes.count <= CompactJWS.bytesMax, "a token beyond its bound")
        let text = jws.signed + [UInt8(ascii: ".")] + Base64URL.encode(jws.signature)
        precondition(text == bytes, "two texts of one token")
    }
}
