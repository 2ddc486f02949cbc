import Assembly
import Crypto
import Persistence
import Runtime

/// What the commands share of what the drivers give; no other folder of this program names one.
enum Wiring {
    /// What the commands leave to threads that may block: one process, one pool.
    static let blocking = BlockingExecutor()

    static func randomBytes(_ count: Int) -> [UInt8] { SecureRandom.bytes(count) }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }

    static func migrator(_ database: DatabaseAddress, on loop: Loop) -> Migrator {
        Migrator(SchemaSteps.all, on: database.settings, loop: loop)
    }
}
