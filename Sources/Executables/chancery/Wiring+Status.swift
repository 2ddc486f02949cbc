import Kafka
import Persistence
import Postgres

// What a command ends with, by whether the same one may succeed later (EX_TEMPFAIL).

extension PostgresError {
    var exitStatus: Int32 {
        switch self {
        case .cannotConnect(_, nil): 75
        case .cannotConnect(_, let state?): state.mayPass ? 75 : 1
        case .notConnected, .connectionLost, .deadlineExceeded, .overloaded: 75
        case .server(let error): error.state.mayPass ? 75 : 1
        case .unexpectedRow: 1
        }
    }
}

extension SQLState {
    /// A server that answers refuses for good, such as a role that is not there, unless it stops,
    /// starts, or takes no more connections (classes 57P and 53).
    fileprivate var mayPass: Bool {
        text.hasPrefix("57P") || text.hasPrefix("53") || isRetryable
    }
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
