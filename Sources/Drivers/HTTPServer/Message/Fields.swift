/// The header fields of a request: the bytes of the head, kept once, and where each field is in
/// them.
///
/// Names are looked up in lower case; values have no surrounding white space and no control byte
/// other than TAB. At most 64 fields in 16 KiB.
package struct Fields: Sendable {
    struct Entry: Sendable {
        var nameStart: UInt16
        var nameCount: UInt16
        var valueStart: UInt16
        var valueCount: UInt16
    }

    private let bytes: [UInt8]
    private let entries: [Entry]

    init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// Makes fields from pairs, for tests; names in lower case, at most 64 KiB in all.
    package init(_ pairs: [(name: String, value: String)]) {
        var bytes: [UInt8] = []
        var entries: [Entry] = []
        for pair in pairs {
            let name = Array(pair.name.utf8)
            let value = Array(pair.value.utf8)
            entries.append(
                Entry(
                    nameStart: UInt16(bytes.count),
                    nameCount: UInt16(name.count),
                    valueStart: UInt16(bytes.count + name.count),
                    valueCount: UInt16(value.count)
                )
            )
            bytes += name + value
        }
        self.init(bytes: bytes, entries: entries)
    }

    /// How many fields there are.
    package var count: Int { entries.count }

    /// The value of the first field called `name` (lower case); nil when there is none.
    package func first(_ name: StaticString) -> [UInt8]? {
        for entry in entries where matches(entry, name) { return Array(value(entry)) }
        return nil
    }

    /// The value of the only field called `name`; nil when there is none or more than one.
    package func only(_ name: StaticString) -> [UInt8]? {
        var found: Entry?
        for entry in entries where matches(entry, name) {
            guard found == nil else { return nil }
            found = entry
        }
        return found.map { Array(value($0)) }
    }

    /// The same of a name that was configured, in lower case.
    package func only(named name: String) -> [UInt8]? {
        let name = Array(name.utf8)
        let found = entries.filter { self.name($0).elementsEqual(name) }
        return found.count == 1 ? found.first.map { Array(value($0)) } : nil
    }

    /// Whether just one field is called `name` and has this value, letters of any case.
    package func isOnly(_ name: StaticString, _ value: StaticString) -> Bool {
        var isFound = false
        for entry in entries where matches(entry, name) {
            let start = Int(entry.valueStart)
            let range = start..<start + Int(entry.valueCount)
            guard !isFound, ASCII.equal(bytes.span, range, value) else { return false }
            isFound = true
        }
        return isFound
    }

    /// How many fields are called `name`.
    package func count(of name: StaticString) -> Int {
        entries.count { matches($0, name) }
    }

    /// Whether any field's name begins with `prefix` (lower case).
    package func hasName(beginningWith prefix: StaticString) -> Bool {
        entries.contains { entry in
            let start = Int(entry.nameStart)
            let count = prefix.utf8CodeUnitCount
            return entry.nameCount >= count
                && ASCII.equal(bytes.span, start..<start + count, prefix)
        }
    }

    /// The values of all fields called `name`, in order.
    package func all(_ name: StaticString) -> [[UInt8]] {
        entries.filter { matches($0, name) }.map { Array(value($0)) }
    }

    private func name(_ entry: Entry) -> some Sequence<UInt8> {
        bytes[Int(entry.nameStart)..<Int(entry.nameStart) + Int(entry.nameCount)]
            .map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }
    }

    private func value(_ entry: Entry) -> ArraySlice<UInt8> {
        bytes[Int(entry.valueStart)..<Int(entry.valueStart) + Int(entry.valueCount)]
    }

    private func matches(_ entry: Entry, _ name: StaticString) -> Bool {
        let start = Int(entry.nameStart)
        return ASCII.equal(bytes.span, start..<start + Int(entry.nameCount), name)
    }
}
