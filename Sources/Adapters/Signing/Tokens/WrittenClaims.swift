internal import Domain
internal import Issuing
internal import OAuth

/// Reads claims in the one form in which `ClaimsJSON` writes them; nil for any other.
///
/// For payloads with a good signature: this program wrote nearly all of them. What stands there in
/// another form may be as right, and is read as any JSON; the two readers never disagree.
struct WrittenClaims {
    /// Far from overflow.
    private static let digitsMax = 15

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func accessToken(_ payload: [UInt8], issuer: String) -> AccessTokenClaims? {
        var read = Self(payload)
        guard read.take(#"{"iss":""#), read.take(issuer),
            read.take(#"","aud":["#), let audience = read.texts(),
            read.take(#","sub":""#), let subject = read.text(),
            read.take(#","client_id":""#), let client = read.text().flatMap({ ClientID($0) }),
            read.take(#","iat":"#), let issuedAt = read.integer(),
            read.take(#","exp":"#), let expiresAt = read.integer(),
            read.take(#","jti":""#), let token = read.stream()
        else { return nil }
        var claims = AccessTokenClaims(
            token: TokenID(token),
            subject: subject,
            client: client,
            audience: audience,
            scope: .empty,
            issuedAt: Instant(seconds: issuedAt),
            expiresAt: Instant(seconds: expiresAt)
        )
        if read.take(#","scope":""#) {
            guard let scope = read.text().flatMap({ Scope($0) }) else { return nil }
            claims.scope = scope
        }
        if read.take(#","sid":""#) {
            guard let session = read.stream() else { return nil }
            claims.session = SessionID(session)
        }
        if read.take(#","auth_time":"#) {
            guard let authentication = read.authentication() else { return nil }
            claims.authentication = authentication
        }
        if read.take(#","cnf":{"jkt":""#) {
            guard let digest = read.digest(), read.take("}") else { return nil }
            claims.confirmation = Thumbprint(digest: digest)
        }
        // Nothing is read of them: with or without, the token says the same.
        if read.take(",") {
            guard read.take(ClaimsJSON.userClaims) else { return nil }
        }
        return read.take("}") && read.isAtEnd ? claims : nil
    }

    static func idToken(_ payload: [UInt8], issuer: String) -> IDTokenClaims? {
        var read = Self(payload)
        guard read.take(#"{"iss":""#), read.take(issuer),
            read.take(#"","sub":""#), let subject = read.stream(),
            read.take(#","aud":""#), let audience = read.text().flatMap({ ClientID($0) }),
            read.take(#","iat":"#), let issuedAt = read.integer(),
            read.take(#","exp":"#), let expiresAt = read.integer()
        else { return nil }
        var nonce: String?
        if read.take(#","nonce":""#) {
            guard let text = read.text() else { return nil }
            nonce = text
        }
        guard read.take(#","auth_time":"#), let authentication = read.authentication(),
            read.take(#","sid":""#), let session = read.stream()
        else { return nil }
        if read.take(#","at_hash":""#) {
            guard read.plain() != nil else { return nil }
        }
        var hash: TokenDigest?
        if read.take(#","ds_hash":""#) {
            guard let digest = read.digest() else { return nil }
            hash = digest
        }
        guard read.take(","), read.take(ClaimsJSON.userClaims), read.take("}"), read.isAtEnd
        else { return nil }
        return IDTokenClaims(
            subject: SubjectID(subject),
            audience: audience,
            issuedAt: Instant(seconds: issuedAt),
            expiresAt: Instant(seconds: expiresAt),
            authentication: authentication,
            nonce: nonce,
            session: SessionID(session),
            deviceSecretHash: hash
        )
    }

    private var isAtEnd: Bool { position == bytes.count }

    /// Goes past `text`; false, and goes nowhere, where something else stands.
    private mutating func take(_ text: String) -> Bool {
        guard isNext(text) else { return false }
        position += text.utf8.count
        return true
    }

    private func isNext(_ text: String) -> Bool {
        let (all, wanted) = (bytes.span, text.utf8Span.span)
        guard wanted.count <= all.count - position else { return false }
        for index in wanted.indices where all[position + index] != wanted[index] { return false }
        return true
    }

    /// Goes past the rest of a string and its quote; nil where it is not ASCII or has an escape.
    private mutating func plain() -> Range<Int>? {
        guard let end = nextQuote else { return nil }
        defer { position = end + 1 }
        return position..<end
    }

    private var nextQuote: Int? {
        let all = bytes.span
        var end = position
        while end < all.count, all[end] != UInt8(ascii: "\"") {
            guard 0x20..<0x80 ~= all[end], all[end] != UInt8(ascii: "\\") else { return nil }
            end += 1
        }
        return end < all.count ? end : nil
    }

    private mutating func text() -> String? {
        guard let range = plain() else { return nil }
        return String(utf8: bytes.span.extracting(range))
    }

    private mutating func stream() -> StreamID? {
        guard let range = plain() else { return nil }
        return StreamID(text: bytes.span.extracting(range))
    }

    private mutating func digest() -> TokenDigest? {
        guard let range = plain(), let digest = Base64URL.decode(bytes[range]) else { return nil }
        return TokenDigest(bytes: digest.span)
    }

    /// The rest of an array of strings; nil for none.
    private mutating func texts() -> [String]? {
        var texts: [String] = []
        repeat {
            guard take("\""), let text = text() else { return nil }
            texts.append(text)
        } while take(",")
        return take("]") ? texts : nil
    }

    private mutating func integer() -> Int64? {
        let (value, end) = number
        defer { position = end }
        return end == position + 1 || end > position && bytes[position] != 0x30 ? value : nil
    }

    /// Of the digits that are next, and where they end.
    private var number: (value: Int64, end: Int) {
        let all = bytes.span
        var (value, end) = (Int64(0), position)
        while end < all.count, end - position < Self.digitsMax, 0x30...0x39 ~= all[end] {
            value = value * 10 + Int64(all[end] - 0x30)
            end += 1
        }
        return (value, end)
    }

    /// From the value of `auth_time` on.
    private mutating func authentication() -> Authentication? {
        guard let time = integer(), take(#","acr":""#), plain() != nil, take(#","amr":["#),
            let names = texts()
        else { return nil }
        return ClaimsJSON.authentication(names, at: time)
    }
}
