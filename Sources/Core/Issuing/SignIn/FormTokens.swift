package import Domain
package import OAuth

/// Proves that a form was posted from a page of ours to this browser (Security 4.5).
///
/// HMAC over purpose, what it is about, the browser and the expiry; nothing is stored.
package struct FormTokens: Sendable {
    /// What a form does; a token of one purpose is none of another.
    package enum Purpose: String, Sendable, CaseIterable {
        case login, resend, complete, cancel, select, consent, approve, logout
        case endSession = "end_session"
        case endOthers = "end_others"
        case removeKey = "remove_key"
        case withdrawConsent = "withdraw_consent"
    }

    /// How long a page may lie open before its form is posted.
    package static let lifetimeSeconds: Int64 = 1800

    private let digester: any Digester

    package init(_ digester: any Digester) { self.digester = digester }

    /// The field `form_token`: 54 ASCII bytes, 96 on a page that shows an account.
    package func token(
        _ purpose: Purpose,
        about stream: StreamID?,
        browser: TokenDigest?,
        account: SubjectID? = nil,
        expiresAt: Instant
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt64(bitPattern: expiresAt.milliseconds))
        let preimage = Self.preimage(purpose, stream, browser, bytes)
        digester.mac(.form, preimage).append(to: &bytes)
        if let account { bytes += digester.mac(.form, preimage + account.stream.bytes).bytes }
        return Base64URL.encode(bytes)
    }

    /// Whether the page with this token showed this account; `check` has passed it before.
    package func names(
        _ account: SubjectID,
        _ token: [UInt8]?,
        _ purpose: Purpose,
        about stream: StreamID?,
        browser: TokenDigest?
    ) -> Bool {
        guard let token, token.count == 96, let bytes = Base64URL.decode(token),
            let mac = TokenDigest(bytes: bytes[40...])
        else { return false }
        let preimage = Self.preimage(purpose, stream, browser, Array(bytes[..<8]))
        return digester.isValid(mac, .form, preimage + account.stream.bytes)
    }

    /// Whether `token` is one of `purpose` for this request and browser.
    ///
    /// - Throws: a page 403 when it is not; a page 400 when it has expired.
    package func check(
        _ token: [UInt8]?,
        _ purpose: Purpose,
        about stream: StreamID?,
        browser: TokenDigest?,
        at now: Instant
    ) throws(OAuthError) {
        try check(token, purpose, about: stream, browsers: [browser], at: now)
    }

    /// The same for a browser with several secrets: the page was shown to one of them.
    package func check(
        _ token: [UInt8]?,
        _ purpose: Purpose,
        about stream: StreamID?,
        browsers: [TokenDigest?],
        at now: Instant
    ) throws(OAuthError) {
        guard let token, token.count == 54 || token.count == 96,
            let bytes = Base64URL.decode(token), let mac = TokenDigest(bytes: bytes[8..<40]),
            browsers.contains(where: {
                let preimage = Self.preimage(purpose, stream, $0, Array(bytes[..<8]))
                return digester.isValid(mac, .form, preimage)
            })
        else { throw .foreignForm }
        let milliseconds = Int64(bigEndian: bytes.span.extracting(0..<8))
        guard now < Instant(milliseconds: milliseconds) else { throw .expiredForm }
    }

    private static func preimage(
        _ purpose: Purpose,
        _ stream: StreamID?,
        _ browser: TokenDigest?,
        _ expiry: [UInt8]
    ) -> [UInt8] {
        // Zeros stand for "none": no stream has that id, no secret that digest.
        Array(purpose.rawValue.utf8) + [0] + (stream?.bytes ?? [UInt8](repeating: 0, count: 16))
            + (browser?.bytes ?? [UInt8](repeating: 0, count: 32)) + expiry
    }
}
