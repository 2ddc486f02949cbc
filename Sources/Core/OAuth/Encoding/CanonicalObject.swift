/// An object in canonical form whose members are left where they stand (Events 4).
///
/// For who passes on most of it: nothing is unpacked that nobody asks for. A member is asked for at
/// the object it is of; at another one it is a mistake that may trap.
package struct CanonicalObject: Sendable {
    /// Where a member stands in the bytes.
    package struct Member: Hashable, Sendable {
        /// Without its quotes.
        package let name: Range<Int>
        /// The whole value; a string with its quotes.
        package let value: Range<Int>
    }

    /// The object, canonical.
    package let bytes: [UInt8]
    /// Sorted by the bytes of their names.
    package let members: [Member]

    /// Finds the members.
    ///
    /// - Throws: what `CanonicalJSON.read` throws, for the same bytes.
    package init(_ bytes: [UInt8]) throws(JSONError) {
        guard bytes.first == UInt8(ascii: "{") else { throw .notCanonical(at: 0) }
        var reader = JSONReader(bytes: bytes, numbers: .integers, isCanonical: true)
        var members: [Member] = []
        members.reserveCapacity(16)
        try reader.skipMembers(depth: 1) { members.append(Member(name: $0, value: $1)) }
        try reader.finish()
        self.bytes = bytes
        self.members = members
    }

    /// The member of that name.
    package func member(_ name: String) -> Member? {
        let (all, wanted) = (bytes.span, name.utf8Span.span)
        let members = members.span
        for index in members.indices where members[index].name.count == wanted.count {
            let start = members[index].name.lowerBound
            if wanted.indices.allSatisfy({ wanted[$0] == all[start + $0] }) {
                return members[index]
            }
        }
        return nil
    }

    /// The value of a member, as a tree; never nil for a member of this object.
    package func json(of member: Member) -> JSON? {
        try? JSONReader.read(Array(bytes[member.value]))
    }

    /// The text of a member that is a string; nil for anything else.
    package func text(of member: Member) -> String? {
        guard let content = content(of: member) else { return json(of: member)?.string }
        return String(decoding: bytes[content], as: UTF8.self)
    }

    /// The number of a member that is one; nil for anything else.
    package func integer(of member: Member) -> Int64? {
        let all = bytes.span
        let isNegative = all[member.value.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        // Canonical integers are far from overflow.
        for index in member.value.dropFirst(isNegative ? 1 : 0) {
            guard 0x30...0x39 ~= all[index] else { return nil }
            value = value &* 10 &+ Int64(all[index] &- 0x30)
        }
        return isNegative ? -value : value
    }

    /// Whether a member is true; nil when it is neither true nor false.
    package func bool(of member: Member) -> Bool? {
        switch bytes[member.value.lowerBound] {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// The items of a member that is an array of strings; nil for anything else.
    package func texts(of member: Member) -> [String]? {
        guard bytes[member.value.lowerBound] == UInt8(ascii: "[") else { return nil }
        var texts: [String] = []
        var start = member.value.lowerBound + 1
        while start < member.value.upperBound - 1 {
            guard bytes[start] == UInt8(ascii: "\""), let end = endOfPlain(from: start + 1) else {
                // With an escape in it, or not of strings.
                return json(of: member)?.strings
            }
            texts.append(String(decoding: bytes[start + 1..<end], as: UTF8.self))
            start = end + 2
        }
        return texts
    }

    /// Where the text of a member stands; nil when it is no string, or one with escapes.
    package func content(of member: Member) -> Range<Int>? {
        let value = member.value
        let all = bytes.span
        guard all[value.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let content = value.lowerBound + 1..<value.upperBound - 1
        for index in content where all[index] == UInt8(ascii: "\\") { return nil }
        return content
    }

    /// The quote that ends the string; nil when an escape comes first.
    private func endOfPlain(from start: Int) -> Int? {
        let all = bytes.span
        var end = start
        while all[end] != UInt8(ascii: "\"") {
            guard all[end] != UInt8(ascii: "\\") else { return nil }
            end += 1
        }
        return end
    }
}
