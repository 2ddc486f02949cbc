internal import OAuth

/// A JWS in compact serialization, split and decoded; nothing of it is verified (RFC 7515 7.1).
struct CompactJWS {
    /// The longest one that is looked at, in bytes (security.md section 3).
    static let bytesMax = 8 * 1024

    let header: JSON
    let payload: JSON
    let signature: [UInt8]
    /// Header, dot and payload as received: what is signed.
    let signed: [UInt8]

    /// Members of a header that change what the rest means; none is supported.
    private static let refusedMembers = ["crit", "b64", "zip", "jku", "x5u", "x5c"]

    /// Nil for more than 8 KiB, other than two dots, text that is not canonical base64url, JSON
    /// that is not strict, and any of `crit b64 zip jku x5u x5c`.
    init?(_ token: [UInt8]) {
        guard let parts = Self.split(token),
            let header = Base64URL.decode(token[..<parts.first]),
            let payload = Base64URL.decode(token[(parts.first + 1)..<parts.second]),
            let signature = Base64URL.decode(token[(parts.second + 1)...]),
            let headerJSON = try? JSONReader.read(header), headerJSON.members != nil,
            // Other systems write fractions into dates (RFC 7519 section 2).
            let payloadJSON = try? JSONReader.read(payload, numbers: .any),
            payloadJSON.members != nil,
            Self.refusedMembers.allSatisfy({ headerJSON[$0] == nil })
        else { return nil }
        self.header = headerJSON
        self.payload = payloadJSON
        self.signature = signature
        signed = Array(token[..<parts.second])
    }

    /// Where the two dots are; nil when there are not exactly two.
    static func split(_ token: [UInt8]) -> (first: Int, second: Int)? {
        let dot = UInt8(ascii: ".")
        guard token.count <= bytesMax, let first = token.firstIndex(of: dot),
            let second = token[(first + 1)...].firstIndex(of: dot),
            !token[(second + 1)...].contains(dot)
        else { return nil }
        return (first, second)
    }
}
