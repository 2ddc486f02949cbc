internal import CKafka

extension Record {
    /// A record header; Kafka allows repeats, we write none.
    package struct Header: Hashable, Sendable {
        /// The name, without NUL.
        package var name: String
        /// The value, any bytes.
        package var value: [UInt8]

        /// Names a value.
        package init(_ name: String, _ value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    /// The headers of a record, in order, in one buffer: an allocation for each costs more than all
    /// the rest of the record.
    package struct Headers: Hashable, Sendable {
        /// Each name with a NUL behind it, then its value.
        package private(set) var bytes: [UInt8] = []
        /// Two for each header: where its name ends, with the NUL, and where its value ends.
        package private(set) var ends: [UInt32] = []

        /// Packs a list of headers.
        package init(_ list: [Header] = []) {
            for header in list {
                bytes += header.name.utf8
                bytes.append(0)
                addEnd()
                bytes += header.value
                addEnd()
            }
        }

        /// Takes headers that are packed already.
        ///
        /// - Precondition: `ends` cut `bytes` into names and values as described there.
        package init(bytes: [UInt8], ends: [UInt32]) {
            var last: UInt32 = 0
            for (index, end) in ends.enumerated() {
                // A name has at least its NUL, a value may be empty.
                precondition(end >= last + (index.isMultiple(of: 2) ? 1 : 0), "headers overlap")
                last = end
            }
            precondition(ends.count.isMultiple(of: 2) && last == bytes.count, "headers are cut")
            self.bytes = bytes
            self.ends = ends
        }

        /// The headers one by one.
        package var list: [Header] {
            var start = 0
            return stride(from: 0, to: ends.count, by: 2).map { index in
                let (name, value) = (Int(ends[index]), Int(ends[index + 1]))
                defer { start = value }
                return Header(
                    String(decoding: bytes[start..<name - 1], as: UTF8.self),
                    Array(bytes[name..<value])
                )
            }
        }

        /// The value of the last header of that name, as CloudEvents readers take it.
        func last(named name: String) -> [UInt8]? {
            let wanted = name.utf8Span.span
            var start = 0
            var found: Range<Int>?
            for index in stride(from: 0, to: ends.count, by: 2) {
                let (nameEnd, valueEnd) = (Int(ends[index]), Int(ends[index + 1]))
                if nameEnd - 1 - start == wanted.count, isName(wanted, at: start) {
                    found = nameEnd..<valueEnd
                }
                start = valueEnd
            }
            return found.map { Array(bytes[$0]) }
        }

        private func isName(_ wanted: Span<UInt8>, at start: Int) -> Bool {
            let all = bytes.span
            for index in 0..<wanted.count where wanted[index] != all[start + index] {
                return false
            }
            return true
        }

        // Four gigabytes of headers are a mistake of ours.
        private mutating func addEnd() { ends.append(UInt32(bytes.count)) }

        @safe init(copying message: UnsafePointer<rd_kafka_message_t>) {
            var all: OpaquePointer?
            guard unsafe rd_kafka_message_headers(message, &all) == RD_KAFKA_RESP_ERR_NO_ERROR
            else { return }
            bytes.reserveCapacity(768)
            ends.reserveCapacity(38)
            var name: UnsafePointer<CChar>?
            var value: UnsafeRawPointer?
            var count = 0
            while unsafe rd_kafka_header_get_all(all, ends.count / 2, &name, &value, &count)
                == RD_KAFKA_RESP_ERR_NO_ERROR
            {
                guard let name = unsafe name else { break }
                unsafe bytes += UnsafeRawBufferPointer(start: name, count: strlen(name) + 1)
                addEnd()
                if let value = unsafe value {
                    unsafe bytes += UnsafeRawBufferPointer(start: value, count: count)
                }
                addEnd()
            }
        }

        /// Makes what librdkafka has of them; the caller's to destroy.
        @safe func makeHandle() -> OpaquePointer? {
            let handle = unsafe rd_kafka_headers_new(ends.count / 2)
            unsafe bytes.withUnsafeBytes { bytes in
                var start = 0
                for index in stride(from: 0, to: ends.count, by: 2) {
                    let (nameEnd, valueEnd) = (Int(ends[index]), Int(ends[index + 1]))
                    // Never nil: an empty value without an address would be a null header.
                    guard let base = bytes.baseAddress else { return }
                    _ = unsafe rd_kafka_header_add(
                        handle,
                        (base + start).assumingMemoryBound(to: CChar.self),
                        nameEnd - 1 - start,
                        base + nameEnd,
                        valueEnd - nameEnd
                    )
                    start = valueEnd
                }
            }
            return unsafe handle
        }
    }
}
