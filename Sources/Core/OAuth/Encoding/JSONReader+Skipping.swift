extension JSONReader {
    /// Goes past a canonical value without making one; refuses what `value` refuses.
    mutating func skipValue(depth: Int) throws(JSONError) {
        switch next {
        case UInt8(ascii: "{"): try skipMembers(depth: depth) { _, _ in }
        case UInt8(ascii: "["): try skipItems(depth: depth)
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "-"), 0x30...0x39: _ = try number()
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): throw .notCanonical(at: position)
        default: throw .syntax(at: position)
        }
    }

    /// As `skipValue` for an object; tells where each member's name and value stand.
    mutating func skipMembers(
        depth: Int,
        _ found: (_ name: Range<Int>, _ value: Range<Int>) -> Void
    ) throws(JSONError) {
        guard depth <= Self.depthMax else { throw .tooDeep(at: position) }
        try take(UInt8(ascii: "{"))
        if next == UInt8(ascii: "}") {
            position += 1
            return
        }
        var name = position..<position
        while true {
            name = try canonicalName(after: name)
            try take(UInt8(ascii: ":"))
            let start = position
            try skipValue(depth: depth + 1)
            found(name, start..<position)
            if next == UInt8(ascii: "}") {
                position += 1
                return
            }
            try take(UInt8(ascii: ","))
        }
    }

    private mutating func skipItems(depth: Int) throws(JSONError) {
        guard depth <= Self.depthMax else { throw .tooDeep(at: position) }
        position += 1
        if next == UInt8(ascii: "]") {
            position += 1
            return
        }
        while true {
            try skipValue(depth: depth + 1)
            if next == UInt8(ascii: "]") {
                position += 1
                return
            }
            try take(UInt8(ascii: ","))
        }
    }

    private mutating func skipString() throws(JSONError) {
        position += 1
        let start = position
        let isASCII = try passPlain()
        if bytes[position] == UInt8(ascii: "\\") {
            _ = try escapedString(from: start)
            return
        }
        guard isASCII || String(utf8: bytes.span.extracting(start..<position)) != nil else {
            throw .notUTF8(at: start)
        }
        position += 1
    }

    /// A member's name, which sorts behind the last one; an empty range: there was none.
    mutating func canonicalName(after last: Range<Int>) throws(JSONError) -> Range<Int> {
        let quote = position
        guard next == UInt8(ascii: "\"") else { throw .syntax(at: quote) }
        let name = quote + 1..<nameEnd(from: quote + 1)
        position = name.upperBound
        guard next == UInt8(ascii: "\"") else {
            // A string of another form, or none at all.
            position = quote
            _ = try string()
            throw .notCanonical(at: quote)
        }
        guard 1...32 ~= name.count, last.isEmpty || precedes(last, name) else {
            throw .notCanonical(at: quote)
        }
        position += 1
        return name
    }

    private func nameEnd(from start: Int) -> Int {
        let span = bytes.span
        var end = start
        while end < span.count, CanonicalJSON.isNameByte(span[end]) { end += 1 }
        return end
    }

    private func precedes(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        let span = bytes.span
        for offset in 0..<min(first.count, second.count) {
            let (left, right) = (
                span[first.lowerBound + offset], span[second.lowerBound + offset]
            )
            if left != right { return left < right }
        }
        return first.count < second.count
    }
}
