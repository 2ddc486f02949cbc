package import Domain

/// The token in a login link: nothing of it is stored, any node can send it (Events 8.3).
package struct LoginLinkToken: Sendable {
    private let digester: any Digester

    package init(_ digester: any Digester) { self.digester = digester }

    /// The text of the link's newest generation.
    package func text(of link: StreamID, generation: Int32) -> [UInt8] {
        let mac = digester.mac(.loginLink, Self.preimage(link, generation))
        return OpaqueToken(.loginLink, stream: link, secret: mac.bytes, digester: digester).text
    }

    /// Whether `token` is the one of `generation`, in constant time.
    package func isValid(_ token: OpaqueToken, generation: Int32) -> Bool {
        guard let mac = TokenDigest(bytes: token.secret) else { return false }
        return digester.isValid(mac, .loginLink, Self.preimage(token.stream, generation))
    }

    private static func preimage(_ link: StreamID, _ generation: Int32) -> [UInt8] {
        var bytes = link.bytes
        bytes.append(bigEndian: UInt32(bitPattern: generation))
        return bytes
    }
}
