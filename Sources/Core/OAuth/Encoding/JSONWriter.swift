/// Writes JSON without white space, members in the order they are written.
///
/// Escapes only what JSON must: quote, backslash, and control characters in their short form where
/// they have one (RFC 8785 section 3.2.2.2). The caller keeps names distinct.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8]
    private var needsComma = false

    package init(reserving capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// The bytes of one value.
    package static func write(_ value: JSON) -> [UInt8] {
        var writer = Self()
        writer.value(value)
        return writer.bytes
    }

    /// An object, whose members `body` writes.
    package mutating func object(_ body: (inout Self) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    /// An array, whose items `body` writes.
    package mutating func array(_ body: (inout Self) -> Void) {
        open(UInt8(ascii: "["))
        body(&self)
        close(UInt8(ascii: "]"))
    }

    /// The name of the member whose value is written next.
    package mutating func name(_ name: String) {
        quote(name.utf8Span.span, before: UInt8(ascii: ":"))
        needsComma = false
    }

    /// A string; escapes what must be.
    package mutating func string(_ text: String) {
        quote(text.utf8Span.span)
        needsComma = true
    }

    /// A text the caller knows to need no escape: a token, an identifier, base64url.
    package mutating func string(verbatim text: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A number without fraction.
    package mutating func integer(_ value: Int64) {
        separate()
        Self.append(value, to: &bytes)
        needsComma = true
    }

    /// `true` or `false`.
    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    /// `null`.
    package mutating func null() { raw("null") }

    /// A value, or members without the braces around them, that was rendered before.
    package mutating func rendered(_ value: [UInt8]) {
        separate()
        bytes.append(contentsOf: value)
        needsComma = true
    }

    /// A value of any kind, in the order of its members.
    package mutating func value(_ value: JSON) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .decimal(let text): raw(text)
        case .string(let text): string(text)
        case .array(let values): array { for value in values { $0.value(value) } }
        case .object(let members):
            object { writer in
                for member in members { writer.member(member.name, member.value) }
            }
        }
    }

    /// A member of any kind.
    package mutating func member(_ name: String, _ value: JSON) {
        self.name(name)
        self.value(value)
    }

    /// A member that is a string.
    package mutating func member(_ name: String, _ text: String) {
        self.name(name)
        string(text)
    }

    /// A member that is a number.
    package mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        integer(value)
    }

    /// A member that is true or false.
    package mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    /// A member whose text needs no escape, as `string(verbatim:)`.
    package mutating func member(_ name: String, verbatim text: [UInt8]) {
        self.name(name)
        string(verbatim: text)
    }

    /// A member that is an array of strings.
    package mutating func member(_ name: String, _ texts: [String]) {
        self.name(name)
        array { for text in texts { $0.string(text) } }
    }

    private mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    /// A comma where one is due, the text in quotes, and what follows it.
    private mutating func quote(_ text: Span<UInt8>, before last: UInt8? = nil) {
        let start = bytes.count
        var isPlain = true
        // Nearly every text needs no escape, so room is made and the text copied in one go.
        bytes.append(addingCapacity: text.count + 4) { room in
            if needsComma { room.append(UInt8(ascii: ",")) }
            room.append(UInt8(ascii: "\""))
            for index in text.indices {
                let byte = text[index]
                guard !Self.mustEscape(byte) else { return isPlain = false }
                room.append(byte)
            }
            room.append(UInt8(ascii: "\""))
            if let last { room.append(last) }
        }
        guard !isPlain else { return }
        bytes.removeLast(bytes.count - start)
        separate()
        bytes.append(UInt8(ascii: "\""))
        Self.appendEscaped(text, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        if let last { bytes.append(last) }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }
}

extension JSONWriter {
    /// The content of a string, without its quotes.
    static func appendEscaped(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
        for index in text.indices { appendEscaped(text[index], to: &bytes) }
    }

    static func append(_ value: Int64, to bytes: inout [UInt8]) {
        var (rest, length) = (value.magnitude, 1)
        while rest >= 10 { (rest, length) = (rest / 10, length + 1) }
        rest = value.magnitude
        bytes.append(addingCapacity: length + 1) { room in
            if value < 0 { room.append(UInt8(ascii: "-")) }
            room.append(repeating: UInt8(ascii: "0"), count: length)
            var digits = room.mutableSpan
            for place in (digits.count - length..<digits.count).reversed() {
                digits[place] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
                rest /= 10
            }
        }
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        guard mustEscape(byte) else {
            bytes.append(byte)
            return
        }
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(contentsOf: Hexadecimal.encode([byte]))
        default: bytes.append(byte)
        }
    }
}
