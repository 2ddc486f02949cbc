/// Why bytes are not the JSON that was asked for; `at` counts bytes from the start.
package enum JSONError: Error, Hashable {
    case syntax(at: Int)
    case notUTF8(at: Int)
    case duplicateMember(at: Int)
    /// Deeper than `JSONReader.depthMax`.
    case tooDeep(at: Int)
    /// Not an integer where only integers are read, or one past 64 bits.
    case number(at: Int)
    /// JSON, but not what the canonical writer writes.
    case notCanonical(at: Int)
}
