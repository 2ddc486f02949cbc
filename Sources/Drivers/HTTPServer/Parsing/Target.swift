/// A request target (RFC 9112 §3.2) in origin, absolute or asterisk form, checked, not decoded.
struct Target {
    let path: String
    let query: [UInt8]?
    /// The authority of the absolute form, to be compared with `Host`.
    let authority: [UInt8]?

    /// Checks `bytes[range]` against the grammar and the form that `method` allows.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>, _ method: Method) throws(Status) {
        for index in range where !(0x21...0x7E ~= bytes[index]) || bytes[index] == 0x23 {
            throw .badRequest  // TAB, 0x80 and above, and the `#` of a fragment.
        }
        guard let first = range.first.map({ bytes[$0] }) else { throw .badRequest }
        if range.count == 1, first == UInt8(ascii: "*") {
            guard method == .options else { throw .badRequest }
            (path, query, authority) = ("*", nil, nil)
            return
        }
        var start = range.lowerBound
        if first == UInt8(ascii: "/") {
            authority = nil
        } else {
            let name = try Self.authority(bytes, range)
            authority = Array(copying: bytes, name)
            start = name.upperBound
        }
        let end = (start..<range.upperBound).first { bytes[$0] == UInt8(ascii: "?") }
        path = try Self.path(bytes, start..<(end ?? range.upperBound))
        query = end.map { Array(copying: bytes, $0 + 1..<range.upperBound) }
    }

    private static func authority(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(Status) -> Range<Int> {
        let start = range.lowerBound
        let schemes: [StaticString] = ["http://", "https://"]
        for scheme in schemes {
            let after = start + scheme.utf8CodeUnitCount
            guard after <= range.upperBound, ASCII.equal(bytes, start..<after, scheme) else {
                continue
            }
            var end = after
            while end < range.upperBound, bytes[end] != UInt8(ascii: "/"),
                bytes[end] != UInt8(ascii: "?")
            {
                end += 1
            }
            guard end > after else { throw .badRequest }
            return after..<end
        }
        throw .badRequest
    }

    /// The path as text; `/` when the absolute form has none.
    private static func path(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(Status) -> String {
        guard !range.isEmpty else { return "/" }
        // Of the segment: how many bytes it has, decoded, and whether all are dots.
        var (length, areDots) = (0, true)
        var index = range.lowerBound
        while index < range.upperBound {
            var byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "/") {
                guard !isDotSegment(length, areDots) else { throw .badRequest }
                (length, areDots) = (0, true)
                continue
            }
            if byte == UInt8(ascii: "%") {
                byte = try escaped(bytes, index..<range.upperBound)
                index += 2
            } else if !isPathByte(byte) {
                throw .badRequest
            }
            length += 1
            if byte != UInt8(ascii: ".") { areDots = false }
        }
        guard !isDotSegment(length, areDots) else { throw .badRequest }
        return String(copying: bytes, range)
    }

    private static func isDotSegment(_ length: Int, _ areDots: Bool) -> Bool {
        areDots && 1...2 ~= length
    }

    /// The byte of an escape whose two digits begin `range`; NUL, `/` and `\` are refused.
    private static func escaped(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(Status) -> UInt8 {
        guard range.count >= 2, let high = ASCII.hexadecimal(bytes[range.lowerBound]),
            let low = ASCII.hexadecimal(bytes[range.lowerBound + 1])
        else { throw .badRequest }
        let byte = high << 4 | low
        guard byte != 0, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "\\") else {
            throw .badRequest
        }
        return byte
    }

    /// Unreserved, sub-delims, `:` and `@` (RFC 3986 §3.3).
    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"):
            true
        case UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "^"), UInt8(ascii: "`"),
            UInt8(ascii: "|"):
            false
        default: ASCII.isToken(byte)
        }
    }
}

extension [UInt8] {
    /// The bytes of `range`, copied.
    init(copying bytes: Span<UInt8>, _ range: Range<Int>) {
        self = unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension String {
    /// The text of `range`, which is ASCII.
    init(copying bytes: Span<UInt8>, _ range: Range<Int>) {
        self = unsafe bytes.extracting(range).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }

    /// The same with its letters in lower case, as nearly everybody sends them.
    init(lowercasing bytes: Span<UInt8>, _ range: Range<Int>) {
        self =
            range.contains { bytes[$0] &- 0x41 < 26 }
            ? String(decoding: range.map { ASCII.lowercased(bytes[$0]) }, as: UTF8.self)
            : String(copying: bytes, range)
    }
}
