/// A value that many hold and nobody changes, behind one reference: as cheap to copy as that.
///
/// A session has a dozen members that are counted each by itself, and a cache, a command and a
/// snapshot hold it at once; a client's settings have more, and every worker holds the same ones.
/// `indirect` would do the same for a state, but Swift 6.3.1 frees its box too early where a
/// `switch` over an awaited state binds one name in two patterns (Speed.md, "A fifth look").
package final class Shared<Value: Hashable & Sendable>: Hashable, Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }

    package static func == (left: Shared, right: Shared) -> Bool {
        left === right || left.value == right.value
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
