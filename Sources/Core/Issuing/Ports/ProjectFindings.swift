internal import Domain

/// What is wrong with a document: one line `<path>: <what is wrong>` each, in document order.
package struct ProjectFindings: Error, Hashable {
    package var lines: [String]

    package init(lines: [String]) { self.lines = lines }
}
