// By type and not generic, for the reason that `OutputSpan` has it so.
extension UInt64 {
    /// The number that these bytes are, at most eight, the highest first.
    package init(bigEndian bytes: Span<UInt8>) { self.init(reading: bytes) }
}

extension Int64 {
    /// As above, of a number that was written by its bit pattern.
    package init(bigEndian bytes: Span<UInt8>) { self.init(reading: bytes) }
}

extension UInt32 {
    /// As above, at most four bytes.
    package init(bigEndian bytes: Span<UInt8>) { self.init(reading: bytes) }
}

extension FixedWidthInteger {
    @inline(__always)
    fileprivate init(reading bytes: Span<UInt8>) {
        var number: Self = 0
        for place in bytes.indices { number = number << 8 | Self(truncatingIfNeeded: bytes[place]) }
        self = number
    }
}
