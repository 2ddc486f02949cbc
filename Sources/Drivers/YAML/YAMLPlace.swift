/// A place in a document; both numbers count from 1, columns in characters.
package struct YAMLPlace: Hashable, Sendable {
    package var line: Int
    package var column: Int

    /// Any place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
