/// The one strict JSON reader: RFC 8259, and what it leaves open decided (Security 3).
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

    let bytes: [UInt8]
    let numbers: Numbers
    let isCanonical: Bool
    var position = 0

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
        try reader.finish()
        return value
    }

    init(bytes: [UInt8], numbers: Numbers, isCanonical: Bool) {
        self.bytes = bytes
        self.numbers = numbers
        self.isCanonical = isCanonical
    }

    mutating func finish() throws(JSONError) {
        skipSpace()
        guard position == bytes.count else { throw .syntax(at: position) }
    }

    /// The byte at `position`, 0 at the end: no grammar rule below wants a NUL.
    var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func skipSpace() {
        // In canonical form a space is left where it is, for the next rule to trip over.
        guard !isCanonical else { return }
        while next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }

    mutating func take(_ byte: UInt8) throws(JSONError) {
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

    mutating func literal(_ text: String) throws(JSONError) {
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
        var last = position..<position
        skipSpace()
        if next == UInt8(ascii: "}") {
            position += 1
            return members
        }
        members.reserveCapacity(depth == 1 ? 16 : 4)
        while true {
            skipSpace()
            let name: String
            if isCanonical {
                last = try canonicalName(after: last)
                name = String(decoding: bytes[last], as: UTF8.self)
            } else {
                let start = position
                guard next == UInt8(ascii: "\"") else { throw .syntax(at: position) }
                name = try string()
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
