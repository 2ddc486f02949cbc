/// Why a statement gave no rows; says whether it can have been applied.
package enum PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
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

    /// Whether the same call may succeed later although nobody changes the server.
    package var mayPass: Bool {
        switch self {
        case .cannotConnect(_, let state): state?.mayPass ?? true
        case .notConnected, .connectionLost, .deadlineExceeded, .overloaded: true
        case .server(let error): error.state.mayPass
        case .unexpectedRow: false
        }
    }

    /// One line in words.
    package var description: String {
        switch self {
        case .server(let error): error.description
        case .cannotConnect(let text, let state): state.map { "\($0): \(text)" } ?? text
        case .notConnected: "there is no connection"
        case .connectionLost: "the connection was lost before the answer came"
        case .deadlineExceeded(sent: true): "no answer came in time"
        case .deadlineExceeded(sent: false): "the question could not be sent in time"
        case .overloaded: "too many questions wait for their turn"
        case .unexpectedRow(let column): "column \(column) of the answer is not as it should be"
        }
    }

    /// The condition PostgreSQL named, when it was PostgreSQL that refused a statement.
    package var state: SQLState? {
        if case .server(let error) = self { error.state } else { nil }
    }
}
