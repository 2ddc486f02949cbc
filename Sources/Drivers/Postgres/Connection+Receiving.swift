internal import CPostgres
internal import Runtime

extension Connection {
    func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) { flush() }
        // Where that found the connection broken, there is none any more.
        guard let handle = unsafe handle else { return }
        guard !readiness.isDisjoint(with: [.readable, .hangup]) else { return }
        guard unsafe PQconsumeInput(handle) == 1 else { return lose() }
        if script != nil { drainScript() } else { drain() }
        drainNotifications()
        startScript()
        if script == nil, !outgoing.isEmpty { scheduleFlush() }
    }

    private func drain() {
        while let handle = unsafe handle, !pipeline.isEmpty, unsafe PQisBusy(handle) == 0 {
            progressed()
            let action: Pipeline.Action
            if let result = unsafe PQgetResult(handle) {
                action = pipeline.received(unsafe ResultSet(result))
            } else {
                action = pipeline.ended()
            }
            perform(action)
        }
    }

    private func perform(_ action: Pipeline.Action) {
        switch action {
        case .none: break
        case .sendAgain(let request):
            request.waitAgain()
            submit(.lookUp(request), deadline: request.deadline)
        case .writeAgain(let request):
            request.waitAgain()
            submit(.write(request), deadline: request.deadline)
        case .forgetPrepared(let request): prepared.forget(request.sql)
        case .close: lose()
        }
    }

    private func drainScript() {
        while let handle = unsafe handle, let script, unsafe PQisBusy(handle) == 0 {
            progressed()
            guard let result = unsafe PQgetResult(handle) else {
                // Who waits for it hears of a connection that is lost.
                guard unsafe PQenterPipelineMode(handle) == 1 else { return lose() }
                self.script = nil
                script.finish()
                return
            }
            switch unsafe ResultSet(result).kind {
            case .refused(let error, _): script.fail(.server(error))
            // As of a COPY, which is answered so for ever.
            case .unexpected: return lose()
            case .rows, .aborted, .synced: break
            }
        }
    }

    private func drainNotifications() {
        while let handle = unsafe handle, let note = unsafe PQnotifies(handle) {
            let channel = unsafe String(cString: note.pointee.relname)
            unsafe PQfreemem(note)
            onNotification?(channel)
        }
    }

    /// Closes, and tells everybody what it means for them.
    func lose() {
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        watch?.cancel()
        watch = nil
        sweep?.cancel()
        sweep = nil
        goesOn(isAnswered: false)
        unsafe PQfinish(handle)
        let sent = pipeline.unanswered
        let waiting = outgoing
        pipeline = Pipeline()
        outgoing = []
        for request in sent { request.finish(failing: .connectionLost) }
        script?.fail(.connectionLost)
        script?.finish()
        script = nil
        for item in waiting { item.finish(failing: .notConnected) }
        let tell = onLoss
        onLoss = nil
        tell?()
    }
}

extension Connection.Outgoing {
    var deadline: MonotonicInstant {
        switch self {
        case .lookUp(let request), .write(let request): request.deadline
        case .transaction(let whole): whole.parts.first?.deadline ?? .distantFuture
        case .script(let request): request.deadline
        }
    }

    func finish(failing error: PostgresError) {
        switch self {
        case .lookUp(let request), .write(let request): request.finish(failing: error)
        case .transaction(let whole): whole.parts.first?.finish(failing: error)
        case .script(let request):
            request.fail(error)
            request.finish()
        }
    }
}
