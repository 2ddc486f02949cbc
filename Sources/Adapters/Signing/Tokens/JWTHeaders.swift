internal import Domain
internal import OAuth

/// The headers one key signs under, as they stand in a token: encoded, with their dot.
///
/// Their form is fixed. Access and ID tokens are recognized by these very bytes, so a new form has
/// to be accepted beside the old one for as long as ID tokens serve as hints.
struct JWTHeaders: Sendable {
    /// The kinds of token that are verified again here.
    enum Kind { case accessToken, idToken }

    let accessToken: [UInt8]
    let idToken: [UInt8]
    private let kid: String
    private let algorithm: String

    init(kid: String, algorithm: SigningKeyRing.Algorithm) {
        self.kid = kid
        self.algorithm = algorithm.rawValue
        accessToken = Self.render("at+jwt", self.algorithm, kid)
        idToken = Self.render("JWT", self.algorithm, kid)
    }

    func of(_ kind: Kind) -> [UInt8] {
        switch kind {
        case .accessToken: accessToken
        case .idToken: idToken
        }
    }

    /// The header of a token of another `type`.
    func header(_ type: String) -> [UInt8] { Self.render(type, algorithm, kid) }

    private static func render(_ type: String, _ algorithm: String, _ kid: String) -> [UInt8] {
        var writer = JSONWriter(reserving: 128)
        writer.object { writer in
            writer.member("typ", type)
            writer.member("alg", algorithm)
            writer.member("kid", kid)
        }
        return Base64URL.encode(writer.bytes) + [UInt8(ascii: ".")]
    }
}
