internal import Crypto
package import Domain
package import Issuing
internal import OAuth

/// Reads JWTs that phones signed (WireContract 6.2 and 6.4): form, header, key, signature.
package struct PhoneJWTReader: ClientJWTReader {
    private let keys = PhoneKeys()
    private let headers = PhoneHeaders()

    /// Keeps the public keys and the headers it has seen of late.
    package init() {}

    package func open(_ text: [UInt8], as kind: ClientJWT.Kind)
        throws(ClientJWT.Malformed) -> ClientJWT
    {
        guard let parts = CompactJWS.split(text), let body = CompactJWS.Body(of: text, after: parts)
        else { throw .form }
        let encoded = text[..<parts.first]
        // To a text's `==` a KELVIN SIGN is a K: other bytes never find a header that is known.
        guard encoded.allSatisfy({ $0 < 0x80 }) else { throw .form }
        let name = PhoneHeaders.Name(encoded: String(decoding: encoded, as: UTF8.self), kind: kind)
        let header: PhoneHeaders.Header
        if let known = headers.find(name) {
            header = known
        } else {
            header = try read(encoded, of: kind)
            headers.insert(header, for: name)
        }
        return ClientJWT(
            kind: kind,
            algorithm: header.algorithm,
            key: header.key,
            keyID: header.keyID,
            payload: body.payload,
            signed: body.signed,
            signature: body.signature
        )
    }

    private func read(_ encoded: ArraySlice<UInt8>, of kind: ClientJWT.Kind)
        throws(ClientJWT.Malformed) -> PhoneHeaders.Header
    {
        guard let header = CompactJWS.header(encoded) else { throw .form }
        guard header["typ"]?.string?.isSame(as: kind.type) == true else {
            throw .type
        }
        guard let algorithm = header["alg"]?.string,
            let known = kind.algorithms.first(where: { $0.isSame(as: algorithm) }),
            let scheme = SignatureAlgorithm(named: known)
        else { throw .algorithm }
        let embedded = try embedded(header["jwk"], known)
        var deviceKey: DeviceKey?
        if let embedded {
            guard let key = keys.insert(Self.unsigned(embedded.key), for: scheme) else {
                throw .key
            }
            deviceKey = key
        }
        return PhoneHeaders.Header(
            algorithm: known,
            key: deviceKey,
            keyID: kind == .dpop ? nil : try Self.keyID(header["kid"], embedded?.kid)
        )
    }

    package func isSigned(_ jwt: ClientJWT, by key: DeviceKey) -> Bool {
        guard let scheme = SignatureAlgorithm(named: jwt.algorithm),
            let known = keys.key(key, for: scheme)
        else { return false }
        return known.accepts(jwt.signature, of: jwt.signed)
    }

    /// An RSA key without the octet that Java's signed numbers begin with (decision 0134).
    ///
    /// Apps on older versions of the SDK for Android send it, against RFC 7518 section 6.3.1.1.
    private static func unsigned(_ key: PublicKey) -> PublicKey {
        guard case .rsa(let modulus, let exponent) = key, modulus.count > 1, modulus[0] == 0,
            modulus[1] >= 0x80
        else { return key }
        return .rsa(modulus: Array(modulus.dropFirst()), exponent: exponent)
    }

    private func embedded(_ member: JSON?, _ algorithm: String)
        throws(ClientJWT.Malformed) -> PublicJWK?
    {
        guard let member else { return nil }
        guard let jwk = PublicJWK(member),
            jwk.algorithm.map({ $0.isSame(as: algorithm) }) ?? true
        else { throw .key }
        return jwk
    }

    /// `kid` is a hint of 8 to 64 letters, digits, `_` and `-`; header and key agree on it.
    private static func keyID(_ member: JSON?, _ embedded: String?)
        throws(ClientJWT.Malformed) -> String?
    {
        var named: String?
        if let member {
            guard let text = member.string else { throw .keyID }
            named = text
        }
        for name in [named, embedded] {
            guard let name else { continue }
            guard 8...64 ~= name.utf8.count, name.utf8.allSatisfy(isWord) else { throw .keyID }
        }
        if let named, let embedded, !named.isSame(as: embedded) { throw .keyID }
        return named ?? embedded
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
