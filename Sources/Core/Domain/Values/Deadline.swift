/// When an answer must be there: nanoseconds of the monotonic clock; no byte renews it.
package struct Deadline: Hashable, Comparable, Sendable {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
