internal import Runtime

/// A text of several statements; the answer is whether all of them went through.
final class ScriptRequest {
    typealias Answer = Result<Void, PostgresError>

    let sql: [UInt8]
    let deadline: MonotonicInstant
    private var error: PostgresError?
    private var resume: ((Answer) -> Void)?

    init(_ sql: [UInt8], deadline: MonotonicInstant, resume: @escaping (Answer) -> Void) {
        self.sql = sql
        self.deadline = deadline
        self.resume = resume
    }

    func fail(_ error: PostgresError) { if self.error == nil { self.error = error } }

    func finish() {
        resume?(error.map { .failure($0) } ?? .success(()))
        resume = nil
    }
}
