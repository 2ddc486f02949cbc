/// One header or trailer field (RFC 9112 §5): a token, a colon at once, a value.
struct FieldLine {
    let name: Range<Int>
    /// Without white space around it.
    let value: Range<Int>

    /// Parses `bytes[line]`, which has no CR, LF, NUL or other control byte but TAB.
    init(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(Status) {
        var colon = line.lowerBound
        while colon < line.upperBound, ASCII.isToken(bytes[colon]) { colon += 1 }
        // An empty name, white space before the colon or the line (obs-fold), or no colon.
        guard colon > line.lowerBound, colon < line.upperBound,
            bytes[colon] == UInt8(ascii: ":")
        else { throw .badRequest }
        name = line.lowerBound..<colon
        var start = colon + 1
        var end = line.upperBound
        while start < end, Self.isBlank(bytes[start]) { start += 1 }
        while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
        value = start..<end
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == ASCII.space || byte == ASCII.tab
    }
}
