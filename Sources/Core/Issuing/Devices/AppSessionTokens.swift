package import Domain
internal import OAuth

/// Tokens by which an app opens our own pages in a browser as its user (WireContract 9.6).
///
/// Session, expiry and a nonce under a MAC that binds client and project: nothing is stored until
/// the one use.
package struct AppSessionTokens: Sendable {
    package static let lifetimeSeconds: Int64 = 60

    /// One that goes out.
    package struct Token: Hashable, Sendable {
        package var text: [UInt8]
        package var expiresAt: Instant
    }

    private static let prefix = Array("as_".utf8)
    private static let bodyBytes = 16 + 6 + 8

    private let digester: any Digester

    package init(_ digester: any Digester) { self.digester = digester }

    func issue(
        for session: SessionID,
        of client: ClientID,
        in project: Project,
        at now: Instant,
        from entropy: any Entropy
    ) -> Token {
        let expiresAt = now.adding(seconds: Self.lifetimeSeconds).wholeMilliseconds
        let milliseconds = UInt64(clamping: expiresAt.milliseconds)
        var body = session.stream.bytes
        body.append(bigEndian: UInt16(truncatingIfNeeded: milliseconds >> 32))
        body.append(bigEndian: UInt32(truncatingIfNeeded: milliseconds))
        body += entropy.bytes(8)
        let mac = digester.mac(.appSession, Self.preimage(body, client, project.number))
        return Token(
            text: Self.prefix + Base64URL.encode(body + mac.bytes),
            expiresAt: expiresAt
        )
    }

    /// Whose session it opens, since when, and what is left to spend; nil for any other text.
    func read(_ text: [UInt8], of client: ClientID, in project: Project, at now: Instant)
        -> (session: SessionID, bornAt: Instant, use: SingleUse)?
    {
        guard text.count <= 128, text.starts(with: Self.prefix),
            let bytes = Base64URL.decode(text[3...]), bytes.count == Self.bodyBytes + 32,
            let mac = TokenDigest(bytes: bytes[Self.bodyBytes...]),
            let session = StreamID(bytes: bytes[..<16])
        else { return nil }
        let body = Array(bytes[..<Self.bodyBytes])
        guard digester.isValid(mac, .appSession, Self.preimage(body, client, project.number))
        else { return nil }
        let milliseconds = Int64(bigEndian: body.span.extracting(16..<22))
        let expiresAt = Instant(milliseconds: milliseconds)
        guard now < expiresAt else { return nil }
        let use = SingleUse(
            purpose: .appSession,
            stream: StreamNames(digester).appSession(
                body,
                expiresAt: expiresAt,
                in: project.number
            ),
            expiresAt: expiresAt
        )
        return (SessionID(session), expiresAt.adding(seconds: -Self.lifetimeSeconds), use)
    }

    private static func preimage(
        _ body: [UInt8],
        _ client: ClientID,
        _ project: ProjectNumber
    ) -> [UInt8] {
        Array("token".utf8) + [0] + project.bytes + body + Array(client.text.utf8)
    }
}
