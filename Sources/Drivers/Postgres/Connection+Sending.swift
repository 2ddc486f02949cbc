internal import CPostgres
internal import Runtime

extension Connection {
    func submit(_ request: Outgoing, deadline: MonotonicInstant) {
        // To a frozen server, and behind a commit that waits for a standby, nothing is sent: a
        // statement that waits in the socket may still run.
        guard isOpen, pulse?.isFrozen != true, !isHeldUp else {
            return request.finish(failing: .notConnected)
        }
        // A transaction alone may be longer than the bound: its maker bounds it.
        let waiting = pipeline.statementCount + outgoing.count
        guard waiting == 0 || waiting < Self.pendingMax else {
            return request.finish(failing: .overloaded)
        }
        outgoing.append(request)
        scheduleFlush()
        watchOver(deadline)
    }

    func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.atEndOfTurn { [weak self] in self?.flushTurn() }
    }

    /// Sends what the turn has collected: look-ups under one Sync, then each write under its own.
    private func flushTurn() {
        isFlushScheduled = false
        guard isOpen, script == nil else { return }
        let batch = outgoing
        outgoing.removeAll(keepingCapacity: true)
        if pipeline.isEmpty { lastProgress = loop.now }
        var scripts: [ScriptRequest] = []
        var writes: [Outgoing] = []
        var isUnitOpen = false
        for item in batch {
            switch item {
            case .lookUp(let request) where request.isRetry: writes.append(item)
            case .lookUp(let request):
                isUnitOpen = send(request, as: .lookUp(request)) || isUnitOpen
            case .write, .transaction: writes.append(item)
            case .script(let request): scripts.append(request)
            }
        }
        if isUnitOpen { sync([]) }
        for item in writes { send(item) }
        flush()
        outgoing.insert(contentsOf: scripts.map { .script($0) }, at: 0)
        startScript()
    }

    private func send(_ item: Outgoing) {
        switch item {
        case .lookUp(let request):
            if send(request, as: .lookUp(request)) { sync([]) }
        case .write(let request):
            if send(request, as: .write(request)) { sync([request]) }
        case .transaction(let whole):
            let parts = whole.parts
            for part in parts { send(part, as: .write(part)) }
            sync(parts)
        case .script: break
        }
    }

    /// False when it is not sent: its deadline has passed, or the connection has gone.
    @discardableResult
    private func send(_ request: Request, as entry: Pipeline.Entry) -> Bool {
        guard !request.isFinished else { return false }
        guard let handle = unsafe handle else {
            request.finish(failing: .notConnected)
            return false
        }
        request.sent()
        let isNamed =
            request.isPrepared && prepared.hasName(for: request.sql, max: Self.preparedMax)
        let isSent =
            isNamed
            ? unsafe sendPrepared(request, handle) : unsafe sendOnce(request, handle)
        pipeline.sent(entry)
        if !isSent { lose() }
        return isSent
    }

    private func sendPrepared(_ request: Request, _ handle: OpaquePointer) -> Bool {
        if prepared.name(of: request.sql) == nil, unsafe !prepare(request, handle) { return false }
        guard let name = prepared.name(of: request.sql) else { return false }
        return unsafe scratch.with(request.parameters) { count, _, values, lengths, formats in
            unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
        }
    }

    private func prepare(_ request: Request, _ handle: OpaquePointer) -> Bool {
        let name = prepared.add(request.sql)
        let isSent = unsafe scratch.with(request.parameters) { count, types, _, _, _ in
            unsafe Self.withText(request.sql) { sql in
                unsafe PQsendPrepare(handle, name, sql, count, types) == 1
            }
        }
        pipeline.sent(.preparation(of: request))
        return isSent
    }

    private func sendOnce(_ request: Request, _ handle: OpaquePointer) -> Bool {
        unsafe scratch.with(request.parameters) { count, types, values, lengths, formats in
            unsafe Self.withText(request.sql) { sql in
                unsafe PQsendQueryParams(handle, sql, count, types, values, lengths, formats, 1)
                    == 1
            }
        }
    }

    private func sync(_ writes: [Request]) {
        guard let handle = unsafe handle else { return }
        pipeline.sent(.sync(writes))
        if unsafe PQpipelineSync(handle) != 1 { lose() }
    }

    /// Writes what the socket takes, and asks to be told when it takes more.
    func flush() {
        guard let handle = unsafe handle else { return }
        switch unsafe PQflush(handle) {
        case 0: watch?.change(to: .readable)
        case 1: watch?.change(to: [.readable, .writable])
        default: lose()
        }
    }

    /// A script leaves pipeline mode, so it starts when nothing is under way.
    func startScript() {
        guard pipeline.isEmpty, script == nil, let handle = unsafe handle,
            case .script(let request)? = outgoing.first
        else { return }
        outgoing.removeFirst()
        script = request
        lastProgress = loop.now
        let isSent =
            unsafe PQexitPipelineMode(handle) == 1
            && Self.withText(request.sql) { unsafe PQsendQuery(handle, $0) == 1 }
        if isSent { flush() } else { lose() }
    }

    static func withText<Answer>(
        _ sql: [UInt8],
        _ body: (UnsafePointer<CChar>) -> Answer
    ) -> Answer {
        let text = sql.map { CChar(bitPattern: $0) } + [0]
        return unsafe body(text)
    }
}
