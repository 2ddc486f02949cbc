/// Writes PostgreSQL's binary form: integers big-endian, arrays with a header.
struct ParameterWriter {
    /// The length that stands for NULL.
    static let null: Int32 = -1
    /// Dimensions, flags, element type, length, lower bound.
    static let headerWidth = 20

    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func write(_ value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
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
