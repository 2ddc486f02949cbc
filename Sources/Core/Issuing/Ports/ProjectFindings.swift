internal import Domain

/// What is wrong with a document: one line `<path>: <what is wrong>` each, in document order.
package struct ProjectFindings: Error, Hashable {
    package var lines: [String]
    /// Whether the first of them is about the project's own origin: no process may serve it then.
    package var isAboutOrigin: Bool

    package init(lines: [String], isAboutOrigin: Bool = false) {
        self.lines = lines
        self.isAboutOrigin = isAboutOrigin
    }
}
