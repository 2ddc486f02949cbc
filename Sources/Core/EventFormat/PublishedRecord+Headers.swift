extension PublishedRecord {
    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: [UInt8]

        package init(_ name: String, _ value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    /// The headers of a record, in order, in one buffer: an allocation for each would cost a relay
    /// in haste more than all the rest of the record.
    package struct Headers: Hashable, Sendable {
        /// Each name with a NUL behind it, then its value.
        package private(set) var bytes: [UInt8] = []
        /// Two for each header: where its name ends, with the NUL, and where its value ends.
        package private(set) var ends: [UInt32] = []

        /// No headers yet, with room for those of an event.
        package init() {
            bytes.reserveCapacity(768)
            ends.reserveCapacity(38)
        }

        /// Packs a list of headers.
        package init(_ list: [Header]) {
            for header in list { add(header.name, header.value) }
        }

        /// Takes headers as they are packed elsewhere, in this form.
        package init(bytes: [UInt8], ends: [UInt32]) {
            self.bytes = bytes
            self.ends = ends
        }

        /// Adds a header behind the others.
        package mutating func add(_ name: String, _ value: [UInt8]) {
            add(Array(name.utf8) + [0]) { $0 += value }
        }

        /// Adds a header whose name is given with its NUL and whose value `append` appends.
        @inline(__always)
        mutating func add(_ name: [UInt8], _ append: (inout [UInt8]) -> Void) {
            bytes += name
            ends.append(UInt32(bytes.count))
            append(&bytes)
            ends.append(UInt32(bytes.count))
        }

        /// The headers one by one.
        package var list: [Header] {
            get {
                var start = 0
                return stride(from: 0, to: ends.count - 1, by: 2).map { index in
                    let (name, value) = (Int(ends[index]), Int(ends[index + 1]))
                    defer { start = value }
                    return Header(
                        String(decoding: bytes[start..<name - 1], as: UTF8.self),
                        Array(bytes[name..<value])
                    )
                }
            }
            set { self = Self(newValue) }
        }

        /// The value of the first header of that name.
        package subscript(name: String) -> [UInt8]? { place(of: name).map { Array(bytes[$0]) } }

        /// What `read` makes of the value of the first header of that name; nil without one.
        package func value<Value>(_ name: String, _ read: (Span<UInt8>) -> Value?) -> Value? {
            guard let place = place(of: name) else { return nil }
            return read(bytes.span.extracting(place))
        }

        /// Where the value of the first header of that name stands in `bytes`.
        func place(of name: String) -> Range<Int>? {
            let wanted = name.utf8Span.span
            let all = bytes.span
            var start = 0
            for index in stride(from: 0, to: ends.count - 1, by: 2) {
                let (end, next) = (Int(ends[index]), Int(ends[index + 1]))
                if end - 1 - start == wanted.count, Self.matches(wanted, all, at: start) {
                    return end..<next
                }
                start = next
            }
            return nil
        }

        private static func matches(
            _ wanted: Span<UInt8>,
            _ bytes: Span<UInt8>,
            at start: Int
        ) -> Bool {
            // From the end: all names but one begin alike.
            for index in stride(from: wanted.count - 1, through: 0, by: -1)
            where wanted[index] != bytes[start + index] { return false }
            return true
        }
    }
}
