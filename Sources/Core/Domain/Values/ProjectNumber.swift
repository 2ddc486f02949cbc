/// The number of a project in the log, 1–32767 (events.md section 1).
package struct ProjectNumber: Hashable, Comparable, Sendable {
    /// Numbers are dense: a log that holds any project holds this one.
    package static let first = Self(value: 1)

    package let value: Int16

    private init(value: Int16) { self.value = value }

    package init?(_ value: Int16) {
        guard value > 0 else { return nil }
        self.value = value
    }

    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
