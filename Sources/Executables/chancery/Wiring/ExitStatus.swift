import Kafka
import Persistence
import Postgres

// What a command ends with, by whether the same one may succeed later (EX_TEMPFAIL).

extension PostgresError {
    var exitStatus: Int32 { mayPass ? 75 : 1 }
}

extension MigrationError {
    var exitStatus: Int32 {
        switch self {
        case .database(let error): error.exitStatus
        case .rebuilding, .blocked: 75
        case .changed, .unknown, .unrecorded, .pending, .failed: 1
        }
    }
}

extension KafkaError {
    var exitStatus: Int32 { mayPass ? 75 : 1 }
}
