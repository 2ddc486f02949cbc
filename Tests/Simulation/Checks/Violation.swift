/// A promise that was broken, and when.
struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// Of Security 2.
    var invariant: String
    var sentence: String
    var step: Int

    var description: String { "\(invariant): \(sentence) (step \(step))" }
}
