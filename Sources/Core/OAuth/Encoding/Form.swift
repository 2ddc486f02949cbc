/// The pairs of an `application/x-www-form-urlencoded` body or of a query (WireContract 1.1).
///
/// Names and values are bytes, decoded once, valid UTF-8 without NUL, CR and LF; compared as bytes.
package struct Form: Sendable {
    /// Pairs of one form; empty ones do not count.
    package static let fieldsMax = 100
    private static let fieldsUsual = 8

    package struct Field: Hashable, Sendable {
        package let name: [UInt8]
        package let value: [UInt8]

        package init(name: [UInt8], value: [UInt8]) {
            self.name = name
            self.value = value
        }

        /// Compares bytes; most names differ in length already.
        func isNamed(_ other: Span<UInt8>) -> Bool {
            guard name.count == other.count else { return false }
            for index in 0..<other.count where name[index] != other[index] { return false }
            return true
        }
    }

    package enum Failure: Error, Hashable {
        case tooManyFields
        /// A `%` without two hexadecimal digits.
        case badEscape
        case notUTF8
        /// NUL, CR or LF.
        case controlByte
    }

    /// In the order they were sent.
    package let fields: [Field]

    package init(fields: [Field]) { self.fields = fields }

    package init(parsing bytes: [UInt8]) throws(Failure) { try self.init(parsing: bytes[...]) }

    /// Reads pairs separated by `&`: empty pairs are skipped, a later `=` belongs to the value.
    package init(parsing bytes: ArraySlice<UInt8>) throws(Failure) {
        var fields: [Field] = []
        fields.reserveCapacity(Self.fieldsUsual)
        var rest = bytes
        while !rest.isEmpty {
            let pair = Pair(startOf: rest.span)
            let start = rest.startIndex
            defer { rest = rest[(start + pair.end)...].dropFirst() }
            guard pair.end > 0 else { continue }
            guard fields.count < Self.fieldsMax else { throw .tooManyFields }
            let name = rest[start..<(start + pair.equals)]
            let value = rest[(start + pair.equals)..<(start + pair.end)].dropFirst()
            fields.append(
                pair.isPlain
                    ? Field(name: Array(name), value: Array(value))
                    : Field(name: try Self.decode(name), value: try Self.decode(value))
            )
        }
        self.fields = fields
    }

    /// Where the first pair of a text ends, seen in one pass.
    private struct Pair {
        /// Of its first `=`; as `end` when it has none.
        private(set) var equals: Int
        /// Of the `&` behind it, or of the text.
        private(set) var end = 0
        /// Neither an escape nor a byte that must be looked at again: it is copied as it is.
        private(set) var isPlain = true

        init(startOf text: Span<UInt8>) {
            var equals: Int?
            search: while end < text.count {
                let stop = min(end + 8, text.count)
                if stop - end == 8, Self.arePlain(text.extracting(end..<stop)) {
                    end = stop
                    continue
                }
                while end < stop {
                    let byte = text[end]
                    if byte == UInt8(ascii: "&") { break search }
                    if byte == UInt8(ascii: "=") {
                        if equals == nil { equals = end }
                    } else if !Self.isPlain(byte) {
                        isPlain = false
                    }
                    end += 1
                }
            }
            self.equals = equals ?? end
        }

        /// Whether eight bytes are all plain and no `=`, reckoned with at once; false for some that
        /// are, too: those below the comma.
        private static func arePlain(_ bytes: Span<UInt8>) -> Bool {
            var word: UInt64 = 0
            for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
            let ones: UInt64 = 0x0101_0101_0101_0101
            // No lane ever carries into its neighbour while all are below 128.
            guard word & ones << 7 == 0 else { return false }
            let isComma = word &+ ones &* UInt64(128 - UInt8(ascii: ","))
            let isOther = (word ^ ones &* UInt64(UInt8(ascii: "="))) &+ ones &* 127
            return isComma & isOther & ones << 7 == ones << 7
        }

        private static func isPlain(_ byte: UInt8) -> Bool {
            0x20..<0x80 ~= byte && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "+")
        }
    }

    /// Every value sent under `name`, empty ones included.
    package func values(_ name: String) -> [[UInt8]] {
        var values: [[UInt8]] = []
        let (fields, wanted) = (fields.span, name.utf8Span.span)
        for index in fields.indices where fields[index].isNamed(wanted) {
            values.append(fields[index].value)
        }
        return values
    }

    /// How often `name` was sent.
    package func count(of name: String) -> Int {
        let (fields, wanted) = (fields.span, name.utf8Span.span)
        return fields.indices.count { fields[$0].isNamed(wanted) }
    }

    /// The value of `name`; nil when it is absent, empty or sent more than once.
    package func single(_ name: String) -> [UInt8]? {
        let (fields, wanted) = (fields.span, name.utf8Span.span)
        var found: [UInt8]?
        for index in fields.indices where fields[index].isNamed(wanted) {
            guard found == nil else { return nil }
            found = fields[index].value
        }
        return found?.isEmpty == false ? found : nil
    }

    private static func decode(_ text: ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
        guard let bytes = PercentEncoding.decode(text, plusIsSpace: true) else { throw .badEscape }
        var isASCII = true
        for byte in bytes {
            guard byte != 0, byte != 0x0A, byte != 0x0D else { throw .controlByte }
            if byte >= 0x80 { isASCII = false }
        }
        guard isASCII || String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        return bytes
    }
}
