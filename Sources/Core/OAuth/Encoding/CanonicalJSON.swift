/// The one form of a payload that is hashed and kept for ever (Events 4).
///
/// One object; members sorted by the bytes of their names, `[a-z0-9_]{1,32}`; no white space; no
/// `null`; integers of at most 2^53−1; strings escaped only where JSON must.
package enum CanonicalJSON {
    /// What any JSON reader keeps exact (RFC 7493 section 2.2).
    package static let integers: ClosedRange<Int64> = -(1 << 53 - 1)...(1 << 53 - 1)

    /// The canonical bytes of an object, its members in any order.
    ///
    /// Nil when there is no such form: not an object, a `null` or a decimal inside, a name outside
    /// the grammar or twice, an integer out of range, or deeper than the reader reads.
    package static func write(_ value: JSON) -> [UInt8]? {
        guard case .object(let members) = value else { return nil }
        var writer = JSONWriter()
        return write(members, to: &writer, depth: 1) ? writer.bytes : nil
    }

    /// Reads what `write` wrote and nothing else: the same value never has a second form.
    ///
    /// - Throws: `.notCanonical` for JSON in another form; else as `JSONReader`.
    package static func read(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        guard bytes.first == UInt8(ascii: "{") else { throw .notCanonical(at: 0) }
        return try JSONReader.read(bytes, .integers, isCanonical: true)
    }

    static func isName(_ name: String) -> Bool {
        1...32 ~= name.utf8.count && name.utf8.allSatisfy(isNameByte)
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        0x61...0x7A ~= byte || 0x30...0x39 ~= byte || byte == UInt8(ascii: "_")
    }

    static func follows(_ name: String, _ previous: String?) -> Bool {
        guard let previous else { return true }
        return previous.utf8.lexicographicallyPrecedes(name.utf8)
    }

    private static func write(
        _ members: [JSON.Member],
        to writer: inout JSONWriter,
        depth: Int
    ) -> Bool {
        guard depth <= JSONReader.depthMax else { return false }
        let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var isWritten = true
        var previous: String?
        writer.object { writer in
            for member in sorted {
                isWritten =
                    isWritten && isName(member.name) && follows(member.name, previous)
                previous = member.name
                writer.name(member.name)
                isWritten = isWritten && write(member.value, to: &writer, depth: depth + 1)
            }
        }
        return isWritten
    }

    private static func write(_ value: JSON, to writer: inout JSONWriter, depth: Int) -> Bool {
        switch value {
        case .null, .decimal: return false
        case .bool, .string: writer.value(value)
        case .integer(let number):
            guard integers.contains(number) else { return false }
            writer.integer(number)
        case .array(let values):
            guard depth <= JSONReader.depthMax else { return false }
            var isWritten = true
            writer.array { writer in
                for value in values {
                    isWritten = isWritten && write(value, to: &writer, depth: depth + 1)
                }
            }
            return isWritten
        case .object(let members): return write(members, to: &writer, depth: depth)
        }
        return true
    }
}
