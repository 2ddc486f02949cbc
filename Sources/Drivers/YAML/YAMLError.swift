/// Why a document was refused, and where.
package struct YAMLError: Error, Hashable, CustomStringConvertible {
    /// What was wrong.
    package enum Cause: Hashable, Sendable {
        /// Not YAML 1.1 in UTF-8; the library's words.
        case syntax(String)
        case duplicateKey(String)
        case anchor, alias, tag
        case keyIsNoScalar
        /// Nested deeper than `YAMLDocument.depthMax`.
        case tooDeep
        /// Longer than `YAMLDocument.bytesMax`.
        case tooLarge
        /// Nothing but comments and space.
        case empty
        /// A second document after `---`.
        case secondDocument
    }

    package var cause: Cause
    package var place: YAMLPlace

    init(_ cause: Cause, at place: YAMLPlace) {
        self.cause = cause
        self.place = place
    }

    /// One line for an operator, without the place.
    package var description: String {
        switch cause {
        case .syntax(let problem): "not YAML: \(problem)"
        case .duplicateKey(let key): "key `\(key)` appears twice"
        case .anchor: "anchors (&name) are not supported; write the value out"
        case .alias: "aliases (*name) are not supported; write the value out"
        case .tag: "tags (!name) are not supported; leave the tag out"
        case .keyIsNoScalar: "a key must be a plain or quoted text"
        case .tooDeep: "nested deeper than \(YAMLDocument.depthMax) levels"
        case .tooLarge: "larger than \(YAMLDocument.bytesMax) bytes"
        case .empty: "the document is empty"
        case .secondDocument: "a second document begins; one file holds one"
        }
    }
}
