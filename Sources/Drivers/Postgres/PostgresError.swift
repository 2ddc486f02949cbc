/// Why a statement gave no rows; says whether it can have been applied.
package enum PostgresError: Error, Hashable, Sendable {
    /// PostgreSQL refused it. Nothing of it, or of its transaction, is applied.
    case server(ServerError)
    /// No connection could be made: libpq's text, and the condition that PostgreSQL named, when it
    /// was PostgreSQL that refused.
    case cannotConnect(String, SQLState? = nil)
    /// There was no connection, or it went before the statement was handed to it: not applied.
    case notConnected
    /// The connection went after sending. A write may have been applied or not.
    case connectionLost
    /// The deadline passed. When `sent`, a write may still be applied.
    case deadlineExceeded(sent: Bool)
    /// Too many statements wait on this connection: not applied.
    case overloaded
    /// A column is absent, null or of another width than the statement's reader expects.
    case unexpectedRow(column: Int)

    /// True when a write may or may not have been applied, so its outcome has to be looked up.
    package var isOutcomeUnknown: Bool {
        switch self {
        case .connectionLost, .deadlineExceeded(sent: true), .unexpectedRow: true
        case .server, .cannotConnect, .notConnected, .deadlineExceeded(sent: false), .overloaded:
            false
        }
    }

    /// The condition PostgreSQL named, when it was PostgreSQL that refused a statement.
    package var state: SQLState? {
        if case .server(let error) = self { error.state } else { nil }
    }
}
