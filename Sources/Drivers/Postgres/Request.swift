internal import CPostgres
internal import Runtime

/// One statement on its way: what to send, and who waits for the answer.
///
/// Touched on the connection's loop alone.
class Request {
    let sql: [UInt8]
    let parameters: [Parameter]
    let isPrepared: Bool
    let deadline: MonotonicInstant
    private(set) var state = State.waiting
    private(set) var error: PostgresError?
    /// What another's error kept from being run is sent again, once and in a unit of its own.
    private(set) var isRetry = false

    /// How far it has come.
    enum State {
        case waiting, sent, aborted, answered
    }

    init<Row>(_ statement: Statement<Row>, deadline: MonotonicInstant) {
        sql = statement.sql
        parameters = statement.parameters
        isPrepared = statement.isPrepared
        self.deadline = deadline
    }

    /// True when nobody waits any more.
    var isFinished: Bool { true }

    /// False for a part of a transaction: it cannot go again without the others.
    var isAlone: Bool { true }

    /// Whether nothing of it has been run, by another's doing, for the first time.
    final var isToGoAgain: Bool { state == .aborted && error == nil && !isRetry && isAlone }

    /// Takes the rows out of an answer that is freed afterwards.
    func accept(_ result: borrowing ResultSet) {}

    /// Hands over what was accepted, or the error; later calls do nothing.
    func deliver() {}

    final func sent() { state = .sent }

    final func aborted() { state = .aborted }

    final func answered(_ result: borrowing ResultSet) {
        state = .answered
        accept(result)
    }

    final func waitAgain() {
        state = .waiting
        isRetry = true
    }

    /// Remembers the first error.
    final func fail(_ error: PostgresError) {
        if self.error == nil { self.error = error }
    }

    /// Ends the wait; an end without answer or error is a lost answer, never a success.
    final func finish() {
        if state != .answered { fail(.connectionLost) }
        deliver()
    }

    final func finish(failing error: PostgresError) {
        fail(error)
        deliver()
    }
}

/// A statement whose rows one task waits for.
final class RowsRequest<Row: Sendable>: Request {
    typealias Answer = Result<[Row], PostgresError>

    private let read: @Sendable (borrowing ResultRow) throws(PostgresError) -> Row
    private var rows: [Row] = []
    private let resume: (Answer) -> Void
    private var isWaiting = true

    init(
        _ statement: Statement<Row>,
        deadline: MonotonicInstant,
        resume: @escaping (Answer) -> Void
    ) {
        read = statement.read
        self.resume = resume
        super.init(statement, deadline: deadline)
    }

    override var isFinished: Bool { !isWaiting }

    override func accept(_ result: borrowing ResultSet) {
        guard isWaiting else { return }
        do throws(PostgresError) {
            rows.reserveCapacity(result.count)
            for index in 0..<result.count { rows.append(try read(result.row(index))) }
        } catch {
            fail(error)
        }
    }

    override func deliver() {
        guard isWaiting else { return }
        isWaiting = false
        if let error { resume(.failure(error)) } else { resume(.success(rows)) }
    }
}

/// Statements of one transaction: the answer is how many rows each affected.
final class TransactionRequest {
    typealias Answer = Result<[Int], PostgresError>

    fileprivate(set) var parts: [TransactionPart] = []
    fileprivate var counts: [Int] = []
    fileprivate var firstError: PostgresError?
    private let resume: (Answer) -> Void
    private var isWaiting = true

    init(
        _ statements: [Statement<Void>],
        deadline: MonotonicInstant,
        resume: @escaping (Answer) -> Void
    ) {
        self.resume = resume
        parts = statements.enumerated().map { index, statement in
            TransactionPart(
                statement,
                deadline: deadline,
                of: self,
                isLast: index == statements.count - 1
            )
        }
    }

    fileprivate var isFinished: Bool { !isWaiting }

    fileprivate func finish() {
        guard isWaiting else { return }
        isWaiting = false
        // Parts point back here; the cycle ends with the answer.
        parts = []
        if let failure = firstError { resume(.failure(failure)) } else { resume(.success(counts)) }
    }
}

/// One statement of a transaction.
final class TransactionPart: Request {
    private let whole: TransactionRequest
    private let isLast: Bool

    fileprivate init(
        _ statement: Statement<Void>,
        deadline: MonotonicInstant,
        of whole: TransactionRequest,
        isLast: Bool
    ) {
        self.whole = whole
        self.isLast = isLast
        super.init(statement, deadline: deadline)
    }

    override var isFinished: Bool { whole.isFinished }

    override var isAlone: Bool { false }

    override func accept(_ result: borrowing ResultSet) {
        whole.counts.append(result.affected)
    }

    /// The first failing part ends the whole; success is told by the last.
    override func deliver() {
        if whole.firstError == nil { whole.firstError = error }
        if isLast || whole.firstError != nil { whole.finish() }
    }
}
