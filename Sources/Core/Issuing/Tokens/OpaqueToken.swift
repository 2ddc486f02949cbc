package import Domain
internal import OAuth

/// A value clients hold and only we read: prefix and base64url of stream id and secret
/// (WireContract 8.2).
package struct OpaqueToken: Sendable {
    /// What a value is for; the raw value is its prefix.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case authorizationCode = "ac_"
        case loginLink = "ll_"
        case transaction = "tx_"
        case browserSession = "bs_"
        /// Its stream is the session.
        case deviceSecret = "ds_"
        case preAuthenticatedURL = "pt_"
        /// What a browser brings instead of a pushed request (RFC 9126 section 2.2).
        case requestURI = "urn:ietf:params:oauth:request_uri:"
    }

    /// The prefix and 64 ASCII bytes.
    package let text: [UInt8]
    package let stream: StreamID
    /// SHA-256 of the 32 secret bytes.
    package let digest: TokenDigest
    /// The 32 secret bytes.
    package let secret: [UInt8]

    package init(_ kind: Kind, stream: StreamID, secret: [UInt8], digester: any Digester) {
        var text = Array(kind.rawValue.utf8)
        Base64URL.append(stream.bytes + secret, to: &text)
        self.text = text
        self.stream = stream
        self.secret = secret
        digest = digester.sha256(secret)
    }

    /// Reads a value of `kind`; wrong prefix, length or alphabet is nil, before any look-up.
    package init?(_ kind: Kind, reading text: [UInt8], digester: any Digester) {
        let prefix = kind.rawValue.utf8
        guard text.count == prefix.count + 64, text.starts(with: prefix),
            let bytes = Base64URL.decode(text[prefix.count...]), bytes.count == 48,
            let stream = StreamID(bytes: bytes.span.extracting(first: 16))
        else { return nil }
        self.text = text
        self.stream = stream
        secret = Array(bytes[16...])
        digest = digester.sha256(secret)
    }
}
