package import Domain

/// What tests take for granted.
package enum Fixture {
    /// A fixture that is malformed fails its test instead of the process.
    package struct Malformed: Error {}

    /// - Throws: `Malformed` for nil.
    package static func some<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Malformed() }
        return value
    }

    /// Far enough.
    package static let noDeadline = Deadline(nanoseconds: .max)
}
