import Domain
import InMemory
import Issuing
import OAuth

// @unchecked: touched by the one thread that runs the simulation.
/// What phones have signed: a text reads as what was signed, and by that key alone.
final class SignedJWTs: ClientJWTReader, @unchecked Sendable {
    private var signed: [[UInt8]: ClientJWT] = [:]

    /// A key of this name: its public half, and all there is of the private one.
    static func key(_ name: String) -> DeviceKey {
        let bytes = Array("key \(name)".utf8)
        let thumbprint = Thumbprint(digest: StandInDigester().sha256(bytes))
        return DeviceKey(thumbprint: thumbprint, jwk: Array("{\"kty\":\"\(name)\"}".utf8))
    }

    /// `embedded`: the `jwk` of the header, which need not be the key that signs.
    func sign(
        _ kind: ClientJWT.Kind,
        by key: DeviceKey,
        embedded: DeviceKey?,
        keyID: String? = nil,
        _ payload: [JSON.Member]
    ) -> [UInt8] {
        let text = Array("jwt.\(kind).\(signed.count)".utf8)
        signed[text] = ClientJWT(
            kind: kind,
            algorithm: "ES256",
            key: embedded,
            keyID: keyID,
            payload: .object(payload),
            signed: text,
            signature: key.thumbprint.digest.bytes
        )
        return text
    }

    func open(_ text: [UInt8], as kind: ClientJWT.Kind) throws(ClientJWT.Malformed) -> ClientJWT {
        guard let jwt = signed[text] else { throw .form }
        guard jwt.kind == kind else { throw .type }
        return jwt
    }

    func isSigned(_ jwt: ClientJWT, by key: DeviceKey) -> Bool {
        jwt.signature == key.thumbprint.digest.bytes
    }
}
