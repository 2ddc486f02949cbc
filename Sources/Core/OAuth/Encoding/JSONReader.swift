/// The one strict JSON reader: RFC 8259, and what it leaves open decided (security.md section 3).
///
/// UTF-8 without byte order mark, no duplicate member, no lone surrogate, depth 16, nothing after
/// the value. Anything else is refused: two readers that disagree are an attack.
package struct JSONReader {
    /// Arrays and objects inside each other; the outermost counts as 1.
    package static let depthMax = 16

    package enum Numbers: Sendable {
        /// A fraction or an exponent is refused.
        case integers
        /// What is no integer within 64 bits becomes `.decimal` with its text.
        case any
    }

    private let bytes: [UInt8]
    private let numbers: Numbers
    private let isCanonical: Bool
    private var position = 0

    /// Reads one value that fills `bytes`.
    package static func read(
        _ bytes: [UInt8],
        numbers: Numbers = .integers
    ) throws(JSONError) -> JSON {
        try read(bytes, numbers, isCanonical: false)
    }

    static func read(
        _ bytes: [UInt8],
        _ numbers: Numbers,
        isCanonical: Bool
    ) throws(JSONError) -> JSON {
        var reader = Self(bytes: bytes, numbers: numbers, isCanonical: isCanonical)
        let value = try reader.value(depth: 1)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw .syntax(at: reader.position) }
        return value
    }

    private init(bytes: [UInt8], numbers: Numbers, isCanonical: Bool) {
        self.bytes = bytes
        self.numbers = numbers
        self.isCanonical = isCanonical
    }

    /// The byte at `position`, 0 at the end: no grammar rule below wants a NUL.
    private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func skipSpace() {
        // In canonical form a space is left where it is, for the next rule to trip over.
        guard !isCanonical else { return }
        while next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }

    private mutating func take(_ byte: UInt8) throws(JSONError) {
        guard next == byte else { throw .syntax(at: position) }
        position += 1
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try items(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), 0x30...0x39: return try number()
        case UInt8(ascii: "t"):
            try literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            guard !isCanonical else { throw .notCanonical(at: position) }
            try literal("null")
            return .null
        default: throw .syntax(at: position)
        }
    }

    private mutating func literal(_ text: String) throws(JSONError) {
        for byte in text.utf8 { try take(byte) }
    }

    private mutating func items(depth: Int) throws(JSONError) -> [JSON] {
        guard depth <= Self.depthMax else { throw .tooDeep(at: position) }
        position += 1
        var items: [JSON] = []
        skipSpace()
        if next == UInt8(ascii: "]") {
            position += 1
            return items
        }
        while true {
            items.append(try value(depth: depth + 1))
            skipSpace()
            if next == UInt8(ascii: "]") {
                position += 1
                return items
            }
            try take(UInt8(ascii: ","))
        }
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSON.Member] {
        guard depth <= Self.depthMax else { throw .tooDeep(at: position) }
        position += 1
        var members: [JSON.Member] = []
        var names = MemberNames()
        skipSpace()
        if next == UInt8(ascii: "}") {
            position += 1
            return members
        }
        members.reserveCapacity(8)
        while true {
            skipSpace()
            let start = position
            guard next == UInt8(ascii: "\"") else { throw .syntax(at: position) }
            let name = try string()
            if isCanonical {
                guard CanonicalJSON.isName(name), CanonicalJSON.follows(name, members.last?.name)
                else { throw .notCanonical(at: start) }
            } else {
                guard names.add(name, to: members) else { throw .duplicateMember(at: start) }
            }
            skipSpace()
            try take(UInt8(ascii: ":"))
            members.append(JSON.Member(name, try value(depth: depth + 1)))
            skipSpace()
            if next == UInt8(ascii: "}") {
                position += 1
                return members
            }
            try take(UInt8(ascii: ","))
        }
    }
}

extension JSONReader {
    private mutating func number() throws(JSONError) -> JSON {
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

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = String(utf8: bytes.span.extracting(start..<position))
                guard let text else { throw .notUTF8(at: start) }
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            guard byte >= 0x20 else { throw .syntax(at: position) }
            position += 1
        }
        throw .syntax(at: position)
    }

    /// A string with escapes, whose first one is at `position`.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
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
            JSONWriter.appendEscaped(text, to: &written)
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
