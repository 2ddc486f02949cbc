extension JSONReader {
    mutating func number() throws(JSONError) -> JSON {
        let start = position
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let digits = position
        var magnitude: UInt64 = 0
        var isWithin64Bits = true
        while 0x30...0x39 ~= next {
            let (tens, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(UInt64(next - 0x30))
            magnitude = sum
            if overflow || carry { isWithin64Bits = false }
            position += 1
        }
        let count = position - digits
        guard count == 1 || (count > 1 && bytes[digits] != 0x30) else {
            throw .syntax(at: position)
        }
        let isInteger = try !fractionOrExponent()
        if isInteger, isWithin64Bits,
            let value = Int64(magnitude: magnitude, isNegative: isNegative)
        {
            let isWritten = CanonicalJSON.integers.contains(value) && !(isNegative && value == 0)
            guard !isCanonical || isWritten else { throw .notCanonical(at: start) }
            return .integer(value)
        }
        guard numbers == .any else { throw .number(at: start) }
        return .decimal(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    /// Whether a fraction or an exponent followed the digits.
    private mutating func fractionOrExponent() throws(JSONError) -> Bool {
        let start = position
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return position > start
    }

    private mutating func digits() throws(JSONError) {
        guard 0x30...0x39 ~= next else { throw .syntax(at: position) }
        while 0x30...0x39 ~= next { position += 1 }
    }

    mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        try passPlain()
        if bytes[position] == UInt8(ascii: "\\") { return try escapedString(from: start) }
        let text = String(utf8: bytes.span.extracting(start..<position))
        guard let text else { throw .notUTF8(at: start) }
        position += 1
        return text
    }

    /// Moves to the quote or the first escape; true when all before it is ASCII.
    @discardableResult
    mutating func passPlain() throws(JSONError) -> Bool {
        let (end, isASCII) = plainEnd()
        position = end
        guard end < bytes.count, bytes[end] >= 0x20 else { throw .syntax(at: end) }
        return isASCII
    }

    private func plainEnd() -> (end: Int, isASCII: Bool) {
        let span = bytes.span
        var end = position
        var all: UInt8 = 0
        while end < span.count, span[end] != UInt8(ascii: "\""),
            span[end] != UInt8(ascii: "\\"), span[end] >= 0x20
        {
            all |= span[end]
            end += 1
        }
        return (end, all < 0x80)
    }

    /// A string with escapes, whose first one is at `position`.
    mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var content = Array(bytes[start..<position])
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            let byte = bytes[position]
            guard byte >= 0x20 else { throw .syntax(at: position) }
            position += 1
            if byte == UInt8(ascii: "\\") {
                try escape(into: &content)
            } else {
                content.append(byte)
            }
        }
        guard position < bytes.count else { throw .syntax(at: position) }
        guard let text = String(utf8: content.span) else { throw .notUTF8(at: start) }
        if isCanonical {
            var written: [UInt8] = []
            JSONWriter.appendEscaped(text.utf8Span.span, to: &written)
            guard bytes[start..<position].elementsEqual(written) else {
                throw .notCanonical(at: start)
            }
        }
        position += 1
        return text
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
        let character = next
        position += 1
        switch character {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(character)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"):
            let first = try codeUnit()
            var units = [first]
            if UTF16.isLeadSurrogate(first) {
                try take(UInt8(ascii: "\\"))
                try take(UInt8(ascii: "u"))
                units.append(try codeUnit())
            }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw .syntax(at: position)
            }
            content.append(contentsOf: text.utf8)
        default: throw .syntax(at: position - 1)
        }
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Hexadecimal.value(next) else { throw .syntax(at: position) }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}

extension Int64 {
    fileprivate init?(magnitude: UInt64, isNegative: Bool) {
        if isNegative {
            guard magnitude <= UInt64(Int64.max) + 1 else { return nil }
            self = Int64(truncatingIfNeeded: 0 &- magnitude)
        } else {
            guard let value = Int64(exactly: magnitude) else { return nil }
            self = value
        }
    }
}
