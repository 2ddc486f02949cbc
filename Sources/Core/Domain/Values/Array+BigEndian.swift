// By type and not generic, for the reason that `OutputSpan` has it so.
extension [UInt8] {
    /// Appends the eight bytes of `value`, the highest first.
    package mutating func append(bigEndian value: UInt64) {
        append(addingCapacity: 8) { $0.append(bigEndian: value) }
    }

    /// As above, four bytes.
    package mutating func append(bigEndian value: UInt32) {
        append(addingCapacity: 4) { $0.append(bigEndian: value) }
    }

    /// As above, two bytes.
    package mutating func append(bigEndian value: UInt16) {
        append(addingCapacity: 2) { $0.append(bigEndian: value) }
    }
}
