internal import CYAML

/// Reads a document into a tree: libyaml's grammar, without what makes configurations surprising.
package enum YAMLDocument {
    /// The longest document in bytes.
    package static let bytesMax = 1 << 20
    /// The deepest nesting of sequences and mappings.
    package static let depthMax = 32

    /// The tree of the one document in `bytes` (UTF-8).
    ///
    /// - Throws: for anything that is not YAML, and for duplicate keys, anchors, aliases, tags,
    ///   keys that are no scalars, and more than `bytesMax` or `depthMax`.
    package static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLNode {
        let start = YAMLPlace(line: 1, column: 1)
        guard bytes.count <= bytesMax else { throw YAMLError(.tooLarge, at: start) }
        // The library asserts that it is given a pointer.
        guard !bytes.isEmpty else { throw YAMLError(.empty, at: start) }
        let events = try YAMLEvents.read(bytes)
        var builder = TreeBuilder(events)
        return try builder.document()
    }
}
