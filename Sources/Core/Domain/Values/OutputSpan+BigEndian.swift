// By type and not generic: callers in other modules get no specialised code of what is `package`.
extension OutputSpan<UInt8> {
    /// Appends the eight bytes of `value`, the highest first; there must be room for them.
    package mutating func append(bigEndian value: UInt64) { write(value) }

    /// As above, four bytes.
    package mutating func append(bigEndian value: UInt32) { write(value) }

    /// As above, two bytes.
    package mutating func append(bigEndian value: UInt16) { write(value) }

    @inline(__always)
    private mutating func write(_ value: some FixedWidthInteger) {
        var shift = value.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
