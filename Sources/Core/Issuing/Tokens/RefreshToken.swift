package import Domain
internal import OAuth

/// A refresh token: session, family, generation and 32 secret bytes (WireContract 8.2).
package struct RefreshToken: Sendable {
    /// `rt_` and 72 characters, 75 ASCII bytes.
    package let text: [UInt8]
    package let session: SessionID
    package let family: UInt16
    /// 1 for the first of a family.
    package let generation: UInt32
    /// SHA-256 of the 32 secret bytes.
    package let digest: TokenDigest

    private static let prefix = Array("rt_".utf8)

    /// Reads what a client presents; wrong prefix, length or alphabet is nil, before any look-up.
    package init?(reading text: [UInt8], digester: any Digester) {
        guard text.count == 75, text.starts(with: Self.prefix),
            let bytes = Base64URL.decode(text[3...]), bytes.count == 54,
            let stream = StreamID(bytes: bytes.span.extracting(first: 16))
        else { return nil }
        self.text = text
        session = SessionID(stream)
        family = UInt16(bytes[16]) << 8 | UInt16(bytes[17])
        generation = UInt32(bigEndian: bytes.span.extracting(18..<22))
        digest = digester.sha256(Array(bytes[22...]))
    }

    private init(
        session: SessionID,
        family: UInt16,
        generation: UInt32,
        secret: [UInt8],
        digester: any Digester
    ) {
        var bytes = session.stream.bytes
        bytes.append(bigEndian: family)
        bytes.append(bigEndian: generation)
        text = Self.prefix + Base64URL.encode(bytes + secret)
        self.session = session
        self.family = family
        self.generation = generation
        digest = digester.sha256(secret)
    }

    /// The first token of a family.
    package static func first(
        of session: SessionID,
        family: UInt16,
        from entropy: any Entropy,
        digester: any Digester
    ) -> RefreshToken {
        RefreshToken(
            session: session,
            family: family,
            generation: 1,
            secret: entropy.bytes(32),
            digester: digester
        )
    }

    /// The token that replaces this one: derived, so a retry gets the same bytes (Events 8.7).
    package func successor(_ digester: any Digester) -> RefreshToken {
        successor(digester.mac(.refresh, text), digester)
    }

    /// The same of a token of `family`: where it was replaced, the one that went out.
    ///
    /// While one root secret replaces another, either may have made it: the digest on record tells.
    package func successor(in family: OfflineGrant.Family, _ digester: any Digester)
        -> RefreshToken
    {
        guard generation < family.generation else { return successor(digester) }
        let macs = digester.macs(.refresh, text)
        let successor = successor(macs.current, digester)
        guard successor.digest != family.digests.last, let second = macs.second else {
            return successor
        }
        let other = self.successor(second, digester)
        return other.digest == family.digests.last ? other : successor
    }

    private func successor(_ secret: TokenDigest, _ digester: any Digester) -> RefreshToken {
        RefreshToken(
            session: session,
            family: family,
            generation: generation &+ 1,
            // The presented text carries family and generation.
            secret: secret.bytes,
            digester: digester
        )
    }
}
