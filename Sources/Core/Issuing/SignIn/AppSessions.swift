internal import Domain
internal import OAuth

/// The value of `__Host-chancery_app_session`, or `__Host-chancery_settings`: a view of one session
/// and its MAC.
///
/// Nothing is stored: what the view says is true for as long as the session lives.
package struct AppSessions: Sendable {
    /// The MAC; origin, session, two times, the length of the client's name.
    private static let fixedBytes = 32 + 1 + 16 + 8 + 8 + 1
    private static let textBytesMax = 3 * 1024
    /// In the byte of the origin.
    private static let confirmed: UInt8 = 0x80

    private let digester: any Digester

    package init(_ digester: any Digester) { self.digester = digester }

    /// ASCII text for a cookie.
    package func seal(_ view: AppSession, in project: Project) -> [UInt8] {
        let body = Self.body(view)
        let mac = digester.mac(.appSession, Self.preimage(body, project.number))
        return Base64URL.encode(mac.bytes + body)
    }

    /// What tells one view from another, whichever root secret its cookie was made with.
    func digest(of view: AppSession, in project: Project) -> TokenDigest {
        digester.sha256(Self.preimage(Self.body(view), project.number))
    }

    private static func body(_ view: AppSession) -> [UInt8] {
        let client = Array(view.client.text.utf8)
        var body = [view.origin.rawValue | (view.isConfirmed ? Self.confirmed : 0)]
        view.session.stream.append(to: &body)
        body.append(bigEndian: UInt64(bitPattern: view.issuedAt.milliseconds))
        body.append(bigEndian: UInt64(bitPattern: view.expiresAt.milliseconds))
        body.append(UInt8(truncatingIfNeeded: client.count))
        body += client
        return body + Array(view.scope.text.utf8)
    }

    /// What the text says; nil when it is altered or of another project.
    ///
    /// It may have expired.
    package func read(_ text: [UInt8], in project: Project) -> AppSession? {
        guard text.count <= Self.textBytesMax, let bytes = Base64URL.decode(text),
            bytes.count >= Self.fixedBytes, let mac = TokenDigest(bytes: bytes[..<32])
        else { return nil }
        let body = Array(bytes[32...])
        guard digester.isValid(mac, .appSession, Self.preimage(body, project.number)),
            let origin = AppSession.Origin(rawValue: body[0] & ~Self.confirmed),
            let session = StreamID(bytes: body[1..<17])
        else { return nil }
        let rest = body[34...]
        guard rest.count >= body[33], let client = ClientID(rest.prefix(Int(body[33])))
        else { return nil }
        let words = rest.dropFirst(Int(body[33]))
        guard let scope = words.isEmpty ? Scope.empty : Scope(words) else { return nil }
        return AppSession(
            session: SessionID(session),
            client: client,
            origin: origin,
            scope: scope,
            issuedAt: Self.instant(body.span.extracting(17..<25)),
            expiresAt: Self.instant(body.span.extracting(25..<33)),
            isConfirmed: body[0] & Self.confirmed != 0
        )
    }

    private static func instant(_ bytes: Span<UInt8>) -> Instant {
        Instant(milliseconds: Int64(bigEndian: bytes))
    }

    private static func preimage(_ body: [UInt8], _ project: ProjectNumber) -> [UInt8] {
        Array("cookie".utf8) + [0] + project.bytes + body
    }
}
