internal import Issuing
internal import OAuth

/// A JWS in compact serialization, split and decoded; nothing of it is verified (RFC 7515 7.1).
struct CompactJWS {
    /// The longest one that is looked at, in bytes (Security 3).
    static let bytesMax = ClientJWT.bytesMax

    let header: JSON
    let body: Body

    /// What follows the header, and what is signed.
    struct Body {
        let payload: JSON
        let signature: [UInt8]
        /// Header, dot and payload as received.
        let signed: [UInt8]
    }

    /// Members of a header that change what the rest means; none is supported.
    private static let refusedMembers = ["crit", "b64", "zip", "jku", "x5u", "x5c"]

    /// Nil for more than 8 KiB, other than two dots, text that is not canonical base64url, JSON
    /// that is not strict, and any of `crit b64 zip jku x5u x5c`.
    init?(_ token: [UInt8]) {
        guard let parts = Self.split(token), let header = Self.header(token[..<parts.first]),
            let body = Body(of: token, after: parts)
        else { return nil }
        self.header = header
        self.body = body
    }

    /// A header by itself, as received; nil as above.
    static func header(_ encoded: ArraySlice<UInt8>) -> JSON? {
        guard let text = Base64URL.decode(encoded), let header = try? JSONReader.read(text),
            header.members != nil, refusedMembers.allSatisfy({ header[$0] == nil })
        else { return nil }
        return header
    }

    /// Where the two dots are; nil when there are not exactly two.
    static func split(_ token: [UInt8]) -> (first: Int, second: Int)? {
        guard token.count <= bytesMax else { return nil }
        let text = token.span
        var first: Int?
        var second: Int?
        for index in text.indices where text[index] == UInt8(ascii: ".") {
            guard second == nil else { return nil }
            if first == nil { first = index } else { second = index }
        }
        guard let first, let second else { return nil }
        return (first, second)
    }
}

extension CompactJWS.Body {
    /// Of a token with these two dots; nil as for the whole.
    init?(of token: [UInt8], after parts: (first: Int, second: Int)) {
        guard let text = Base64URL.decode(token[(parts.first + 1)..<parts.second]),
            let signature = Base64URL.decode(token[(parts.second + 1)...]),
            // Other systems write fractions into dates (RFC 7519 section 2).
            let payload = try? JSONReader.read(text, numbers: .any), payload.members != nil
        else { return nil }
        self.payload = payload
        self.signature = signature
        signed = Array(token[..<parts.second])
    }
}
