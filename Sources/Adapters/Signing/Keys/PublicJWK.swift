internal import Crypto
internal import OAuth

/// A public key as JSON Web Key (RFC 7517), and nothing a public key must not have.
struct PublicJWK {
    let key: PublicKey
    /// `alg`, when the JWK says one.
    let algorithm: String?
    let kid: String?

    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Reads one key.
    ///
    /// Nil for a private, symmetric or incomplete key, another curve, coordinates that are not
    /// canonical base64url, and a key set. Sizes and curve are checked when the key is loaded.
    init?(_ json: JSON) {
        guard json.members != nil,
            Self.privateMembers.allSatisfy({ json[$0] == nil }),
            let kind = json["kty"]?.string, let key = Self.key(kind, json)
        else { return nil }
        if let member = json["alg"] {
            guard let text = member.string else { return nil }
            algorithm = text
        } else {
            algorithm = nil
        }
        if let member = json["kid"] {
            guard let text = member.string else { return nil }
            kid = text
        } else {
            kid = nil
        }
        self.key = key
    }

    private static func key(_ kind: String, _ json: JSON) -> PublicKey? {
        let curve = json["crv"]?.string
        if names(kind, "EC"), names(curve, "P-256") {
            guard let x = bytes(json["x"]), let y = bytes(json["y"]) else { return nil }
            return .p256(x: x, y: y)
        }
        if names(kind, "RSA") {
            guard let modulus = bytes(json["n"]), let exponent = bytes(json["e"]) else {
                return nil
            }
            return .rsa(modulus: modulus, exponent: exponent)
        }
        guard names(kind, "OKP"), names(curve, "Ed25519") else { return nil }
        return bytes(json["x"]).map { .ed25519($0) }
    }

    /// By bytes: to `==` a KELVIN SIGN is a K.
    private static func names(_ text: String?, _ name: String) -> Bool {
        text?.isSame(as: name) ?? false
    }

    private static func bytes(_ member: JSON?) -> [UInt8]? {
        (member?.string).flatMap { Base64URL.decode(Array($0.utf8)) }
    }

    /// The members that make the thumbprint, by name (RFC 7638 section 3.2).
    private static func essentials(_ key: PublicKey) -> [(name: String, text: String)] {
        switch key {
        case .p256(let x, let y):
            [
                ("crv", "P-256"), ("kty", "EC"), ("x", Base64URL.text(x)),
                ("y", Base64URL.text(y)),
            ]
        case .rsa(let modulus, let exponent):
            [("e", Base64URL.text(exponent)), ("kty", "RSA"), ("n", Base64URL.text(modulus))]
        case .ed25519(let point):
            [("crv", "Ed25519"), ("kty", "OKP"), ("x", Base64URL.text(point))]
        }
    }

    /// The RFC 7638 thumbprint, 43 characters.
    static func thumbprint(of key: PublicKey) -> String { Base64URL.text(SHA256.hash(write(key))) }

    /// The members that make the key and no others, as canonical JSON.
    static func write(_ key: PublicKey) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            for member in essentials(key) { writer.member(member.name, member.text) }
        }
        return writer.bytes
    }

    /// The JWK with `alg`, `kid` and `use` `sig`, as canonical JSON.
    static func write(_ key: PublicKey, algorithm: String) -> [UInt8] {
        let more = [("alg", algorithm), ("kid", thumbprint(of: key)), ("use", "sig")]
        var members = essentials(key).map { JSON.Member($0.name, .string($0.text)) }
        members += more.map { JSON.Member($0.0, .string($0.1)) }
        // Every name and text above has a canonical form.
        return CanonicalJSON.write(.object(members)) ?? []
    }
}
