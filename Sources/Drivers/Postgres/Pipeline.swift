/// The order in which answers come: what was sent and is not answered yet.
///
/// Pure bookkeeping over requests; `Connection` sends and receives. libpq answers in order of
/// sending: results of a statement, then the end of that statement, or one mark per Sync.
struct Pipeline {
    /// What has been sent, in order.
    enum Entry {
        /// A named statement being parsed for a request that follows.
        case preparation(of: Request)
        /// A look-up: it may be answered before its Sync.
        case lookUp(Request)
        /// A write: it is committed only with its Sync.
        case write(Request)
        /// The end of a unit; the writes it commits.
        case sync([Request])

        var isStatement: Bool {
            switch self {
            case .lookUp, .write: true
            case .preparation, .sync: false
            }
        }
    }

    /// What the connection has to do after an answer.
    enum Action {
        case none
        /// A look-up that was not run: send it again, in a unit of its own.
        case sendAgain(Request)
        /// A write that was not run: send it again.
        case writeAgain(Request)
        /// The statement's prepared form is not there, or not valid: forget it.
        case forgetPrepared(Request)
        /// The server speaks out of turn: the connection cannot be trusted any more.
        case close
    }

    private var entries: [Entry?] = []
    private var head = 0
    /// Statements not answered yet.
    private(set) var statementCount = 0

    var isEmpty: Bool { head == entries.count }

    mutating func sent(_ entry: Entry) {
        entries.append(entry)
        if entry.isStatement { statementCount += 1 }
    }

    /// Everybody who still waits, in order of sending; a write shows again in its Sync.
    var unanswered: [Request] {
        entries[head...].flatMap { entry -> [Request] in
            switch entry {
            case .lookUp(let request), .write(let request): [request]
            case .sync(let writes): writes
            case .preparation, nil: []
            }
        }
    }

    /// An answer has come.
    mutating func received(_ result: consuming ResultSet) -> Action {
        guard !isEmpty, let entry = entries[head] else { return .close }
        switch (result.kind, entry) {
        case (.synced, .sync(let writes)):
            pop()
            if let write = writes.first, write.isToGoAgain { return .writeAgain(write) }
            for write in writes { write.finish() }
            return .none
        case (.rows, .lookUp(let request)), (.rows, .write(let request)):
            request.answered(result)
            return .none
        case (.rows, .preparation):
            return .none
        case (.refused(let error, let isFatal), _):
            return refused(error, isFatal: isFatal, entry)
        case (.aborted, .lookUp(let request)), (.aborted, .write(let request)):
            request.aborted()
            return .none
        case (.aborted, .preparation(let request)):
            return .forgetPrepared(request)
        case (.synced, _), (.rows, .sync), (.aborted, .sync), (.unexpected, _):
            return .close
        }
    }

    /// The statement at the head has no more answers.
    mutating func ended() -> Action {
        guard !isEmpty, let entry = entries[head] else { return .none }
        switch entry {
        case .sync: return .none
        case .preparation, .write:
            pop()
            return .none
        case .lookUp(let request):
            pop()
            if request.isToGoAgain { return .sendAgain(request) }
            request.finish()
            return .none
        }
    }

    private func refused(_ error: ServerError, isFatal: Bool, _ entry: Entry) -> Action {
        // A fatal error ends the session: whether the commit came before it is unknown.
        let failure: PostgresError = isFatal ? .connectionLost : .server(error)
        switch entry {
        case .lookUp(let request), .write(let request):
            // It was sent before anybody knew that another's error had aborted its preparation.
            let isUnprepared = error.state == .unknownStatement && !isFatal
            if isUnprepared, !request.isRetry, request.isAlone {
                request.aborted()
            } else {
                request.fail(failure)
            }
            return isUnprepared || error.state == .featureNotSupported
                ? .forgetPrepared(request) : .none
        case .preparation(let request):
            request.fail(failure)
            return .forgetPrepared(request)
        case .sync(let writes):
            for write in writes { write.fail(failure) }
            return .none
        }
    }

    private mutating func pop() {
        if entries[head]?.isStatement == true { statementCount -= 1 }
        entries[head] = nil
        head += 1
        if head == entries.count || head == 256 {
            entries.removeFirst(head)
            head = 0
        }
    }
}
