/// Writes PostgreSQL's binary form: integers big-endian, arrays with a header.
struct ParameterWriter {
    /// The length that stands for NULL.
    static let null: Int32 = -1
    /// Dimensions, flags, element type, length, lower bound.
    static let headerWidth = 20

    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func write(_ value: some FixedWidthInteger) {
        bytes.append(addingCapacity: value.bitWidth / 8) { $0.append(bigEndian: value) }
    }

    /// Writes `values` in one go: each takes `width` bytes at the most.
    mutating func write<Element>(
        _ values: [Element],
        width: Int,
        _ write: (inout OutputSpan<UInt8>, Element) -> Void
    ) {
        // Room for nothing would be written to in the empty array that all threads share.
        guard !values.isEmpty else { return }
        bytes.append(addingCapacity: values.count * width) { room in
            for value in values { write(&room, value) }
        }
    }

    mutating func write(_ value: [UInt8]) { bytes.append(contentsOf: value) }

    /// The header of a one-dimensional array; the flag for NULLs may always be set.
    mutating func writeHeader(of element: TypeID, count: Int) {
        write(Int32(count == 0 ? 0 : 1))
        write(Int32(1))
        write(element.number)
        guard count > 0 else { return }
        write(Int32(clamping: count))
        write(Int32(1))
    }
}

// As `Domain` has it for itself: a driver knows no domain, and a loop that is generic in another
// module would not be specialised here.
extension OutputSpan<UInt8> {
    /// Appends the bytes of `value`, the highest first; there must be room for them.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        var shift = value.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
