/// The number of a project in the log, 1–32767 (Events 1).
package struct ProjectNumber: Hashable, Comparable, Sendable {
    /// Numbers are dense: a log that holds any project holds this one.
    package static let first = Self(value: 1)

    package let value: Int16

    private init(value: Int16) { self.value = value }

    package init?(_ value: Int16) {
        guard value > 0 else { return nil }
        self.value = value
    }

    /// The number's two bytes, the higher one first.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Appends the two bytes of `bytes`.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: UInt16(bitPattern: value))
    }

    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
