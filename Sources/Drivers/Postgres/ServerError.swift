/// What PostgreSQL said when it refused a statement.
package struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The condition.
    package let state: SQLState
    /// The primary message, without the detail that quotes values.
    package let message: String
    /// Where in the statement, counted in characters from 1; only for errors in the text itself.
    package let position: Int?

    /// Puts an error together; for tests and fakes.
    package init(state: SQLState, message: String, position: Int? = nil) {
        self.state = state
        self.message = message
        self.position = position
    }

    /// State and message on one line.
    package var description: String { "\(state): \(message)" }
}
