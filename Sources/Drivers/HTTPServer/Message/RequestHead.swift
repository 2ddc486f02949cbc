/// A request without its body, after every check of the grammar (Security 7.1).
///
/// A class: the machine, its actions and the request hand it on as one reference, not as five.
package final class RequestHead: Sendable {
    enum Framing: Hashable, Sendable {
        case length(Int)
        case chunked
    }

    /// The method, one of ours.
    package let method: Method
    /// The path as sent: starts with `/` (or is `*` for OPTIONS), escapes valid but not decoded.
    ///
    /// No NUL, encoded slash or backslash, or dot segment is in it.
    package let path: String
    /// What follows the first `?`, as sent, without it; nil when there is no `?`.
    package let query: [UInt8]?
    /// What the `Host` field names, in lower case, without the port; not compared with anything.
    ///
    /// An IPv6 address stands in brackets.
    package let host: String
    /// The header fields.
    package let fields: Fields
    let framing: Framing
    let isVersion10: Bool
    let keepsAlive: Bool
    let expectsContinue: Bool

    /// Whether a body follows.
    package var hasBody: Bool { framing != .length(0) }

    /// The announced length of the body; nil when it comes in chunks.
    package var contentLength: Int? {
        if case .length(let length) = framing { length } else { nil }
    }

    init(
        method: Method,
        path: String,
        query: [UInt8]?,
        host: String,
        fields: Fields,
        framing: Framing,
        isVersion10: Bool,
        keepsAlive: Bool,
        expectsContinue: Bool
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.host = host
        self.fields = fields
        self.framing = framing
        self.isVersion10 = isVersion10
        self.keepsAlive = keepsAlive
        self.expectsContinue = expectsContinue
    }

    /// Makes a head without parsing, for tests of handlers; names in lower case.
    package convenience init(
        _ method: Method,
        _ path: String,
        query: String? = nil,
        host: String = "localhost",
        fields: [(name: String, value: String)] = [],
        contentLength: Int = 0
    ) {
        let sent = Array(host.utf8)
        let name = HostField.name(sent.span, 0..<sent.count) ?? 0..<0
        self.init(
            method: method,
            path: path,
            query: query.map { Array($0.utf8) },
            host: String(lowercasing: sent.span, name),
            fields: Fields([("host", host)] + fields),
            framing: .length(contentLength),
            isVersion10: false,
            keepsAlive: true,
            expectsContinue: false
        )
    }
}
