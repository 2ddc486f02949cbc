import Kafka
import Persistence
import Postgres

// What a command ends with, by whether the same one may succeed later (EX_TEMPFAIL).

extension PostgresError {
    var exitStatus: Int32 {
        switch self {
        case .cannotConnect(let text): Self.mayPass(text) ? 75 : 1
        case .notConnected, .connectionLost, .deadlineExceeded, .overloaded: 75
        case .server(let error): error.state.isOfServerAway || error.state.isRetryable ? 75 : 1
        case .unexpectedRow: 1
        }
    }

    /// Whether a connection may be made later; libpq's text has no code.
    ///
    /// A server that answers refuses for good, such as a role that is not there, unless it starts,
    /// stops, or has no room.
    private static func mayPass(_ text: String) -> Bool {
        let passing = [
            "starting up", "shutting down", "recovery", "not yet accepting", "too many",
            "connection slots",
        ]
        return !text.contains("FATAL:") || passing.contains { text.contains($0) }
    }
}

extension SQLState {
    /// It stops, starts, or takes no more connections (classes 57P and 53).
    fileprivate var isOfServerAway: Bool { text.hasPrefix("57P") || text.hasPrefix("53") }
}

extension MigrationError {
    var exitStatus: Int32 {
        switch self {
        case .database(let error): error.exitStatus
        case .rebuilding: 75
        case .changed, .unknown, .pending, .failed: 1
        }
    }
}

extension KafkaError {
    var exitStatus: Int32 {
        switch remedy {
        case .retry, .renew: 75
        case .none: 1
        }
    }
}
