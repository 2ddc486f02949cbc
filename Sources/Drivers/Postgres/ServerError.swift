/// What PostgreSQL said when it refused a statement.
package struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The condition.
    package let state: SQLState
    /// The primary message, without the detail that quotes values.
    package let message: String
    /// The violated constraint, where there is one.
    package let constraint: String?
    /// Where in the statement, counted in characters from 1; only for errors in the text itself.
    package let position: Int?

    /// Puts an error together; for tests and fakes.
    package init(
        state: SQLState,
        message: String,
        constraint: String? = nil,
        position: Int? = nil
    ) {
        self.state = state
        self.message = message
        self.constraint = constraint
        self.position = position
    }

    /// State and message on one line.
    package var description: String { "\(state): \(message)" }
}
