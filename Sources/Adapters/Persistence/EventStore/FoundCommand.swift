package import Domain

/// A command found at the place with this index in the list asked for.
package struct FoundCommand: Sendable {
    package let index: Int
    package let command: CommandID

    /// Puts an answer together.
    package init(index: Int, command: CommandID) {
        self.index = index
        self.command = command
    }
}
