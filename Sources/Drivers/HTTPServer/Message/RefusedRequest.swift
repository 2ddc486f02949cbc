/// What is known of a request that the server itself refuses: by grammar, bound or deadline.
package struct RefusedRequest: Sendable {
    static let pathBytesMax = 256

    /// Why, and what goes out.
    package let status: Status
    /// The method; nil when the request line does not begin with one of ours.
    package let method: Method?
    /// The path as sent; nil when it could not be read, or is longer than any of ours.
    package let path: String?
    /// Everything before the body, when that much was in order.
    package let head: RequestHead?
    /// Whether a handler was at it, and has not answered in time: what it does may be done.
    package let isLate: Bool

    /// A request whose head was in order.
    package init(_ status: Status, _ head: RequestHead, isLate: Bool = false) {
        self.status = status
        self.isLate = isLate
        method = head.method
        path = head.path
        self.head = head
    }

    /// A request whose head was not: what its first bytes say, as far as they are plain.
    ///
    /// Looks at `pathBytesMax` bytes and some, whatever there is.
    package init(_ status: Status, reading bytes: Span<UInt8>) {
        self.status = status
        isLate = false
        head = nil
        // One empty line before a request line is skipped (RFC 9112 §2.2).
        let start = bytes.count >= 2 && bytes[0] == 0x0D && bytes[1] == 0x0A ? 2 : 0
        let word = (start..<min(bytes.count, start + 8)).first { bytes[$0] == ASCII.space }
        guard let word, let method = RequestLine.known(bytes, start..<word) else {
            (method, path) = (nil, nil)
            return
        }
        self.method = method
        path = Self.path(bytes, word + 1..<min(bytes.count, word + 2 + Self.pathBytesMax))
    }

    /// Up to the query or the version; nil when neither begins within `range`.
    private static func path(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String? {
        guard let first = range.first, bytes[first] == UInt8(ascii: "/") else { return nil }
        for index in range {
            switch bytes[index] {
            case ASCII.space, UInt8(ascii: "?"):
                return String(copying: bytes, range.lowerBound..<index)
            case 0x21...0x7E: continue
            default: return nil
            }
        }
        return nil
    }
}
