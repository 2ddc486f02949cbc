/// The first line of a request, parsed (RFC 9112 §3): method, target, version, one space between.
struct RequestLine {
    static let targetBytesMax = 8_192
    /// The longest line there can be: the longest method, a target, two spaces, the version.
    static let bytesMax = 7 + 1 + targetBytesMax + 1 + 8

    let method: Method
    let target: Target
    let isVersion10: Bool

    /// Parses `bytes[line]`, which has no CR, LF, NUL or other control byte but TAB.
    init(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(Status) {
        guard line.count <= Self.bytesMax else { throw .uriTooLong }
        guard let first = Self.space(bytes, line),
            let second = Self.space(bytes, first + 1..<line.upperBound)
        else { throw .badRequest }
        let target = first + 1..<second
        isVersion10 = try Self.version10(bytes, second + 1..<line.upperBound)
        method = try Self.method(bytes, line.lowerBound..<first)
        guard target.count <= Self.targetBytesMax else { throw .uriTooLong }
        self.target = try Target(bytes, target, method)
    }

    private static func space(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        for index in range where bytes[index] == ASCII.space { return index }
        return nil
    }

    private static func version10(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(Status) -> Bool {
        let start = range.lowerBound
        let form: StaticString = "http/"
        guard range.count == 8,
            ASCII.equal(bytes, start..<start + 5, form), bytes[start] == UInt8(ascii: "H"),
            bytes[start + 1] == UInt8(ascii: "T"), bytes[start + 2] == UInt8(ascii: "T"),
            bytes[start + 3] == UInt8(ascii: "P"), bytes[start + 6] == UInt8(ascii: "."),
            ASCII.isDigit(bytes[start + 5]), ASCII.isDigit(bytes[start + 7])
        else { throw .badRequest }
        switch (bytes[start + 5], bytes[start + 7]) {
        case (UInt8(ascii: "1"), UInt8(ascii: "1")): return false
        case (UInt8(ascii: "1"), UInt8(ascii: "0")): return true
        default: throw .versionNotSupported
        }
    }

    private static func method(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>
    ) throws(Status) -> Method {
        guard !range.isEmpty else { throw .badRequest }
        for index in range where !ASCII.isToken(bytes[index]) { throw .badRequest }
        guard let method = known(bytes, range) else { throw .notImplemented }
        return method
    }

    /// The method that `bytes[range]` spell; nil when it is none of ours.
    static func known(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Method? {
        for (method, name) in known where range.count == name.count {
            if (0..<name.count).allSatisfy({ bytes[range.lowerBound + $0] == name[$0] }) {
                return method
            }
        }
        return nil
    }

    private static let known = [Method.post, .get, .head, .put, .patch, .delete, .options].map {
        ($0, Array($0.rawValue.utf8))
    }
}
