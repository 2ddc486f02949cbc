package import Domain
internal import OAuth

/// Nonces for proofs: an expiry and its MAC, so that nothing is stored (RFC 9449 section 8).
package struct DPoPNonces: Sendable {
    /// How long one is good.
    package static let lifetimeSeconds: Int64 = 300

    private static let expiryBytes = 8
    private let digester: any Digester

    package init(_ digester: any Digester) { self.digester = digester }

    /// The value of `DPoP-Nonce`.
    package func issue(in project: Project, at now: Instant) -> String {
        let expiry = UInt64(clamping: now.adding(seconds: Self.lifetimeSeconds).seconds)
        var body: [UInt8] = []
        body.append(bigEndian: expiry)
        let mac = digester.mac(.dpopNonce, Self.preimage(body, project))
        return Base64URL.text(body + mac.bytes)
    }

    /// Whether it is ours, of this project, and young enough.
    package func isValid(_ text: [UInt8], in project: Project, at now: Instant) -> Bool {
        guard let bytes = Base64URL.decode(text), bytes.count == Self.expiryBytes + 32,
            let mac = TokenDigest(bytes: bytes[Self.expiryBytes...])
        else { return false }
        let body = Array(bytes[..<Self.expiryBytes])
        guard digester.isValid(mac, .dpopNonce, Self.preimage(body, project)) else {
            return false
        }
        let expiry = UInt64(bigEndian: body.span)
        return UInt64(clamping: now.seconds) < expiry
    }

    private static func preimage(_ body: [UInt8], _ project: Project) -> [UInt8] {
        body + Array(project.settings.id.text.utf8)
    }
}
