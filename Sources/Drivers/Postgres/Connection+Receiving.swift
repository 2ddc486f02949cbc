internal import CPostgres
internal import Runtime

extension Connection {
    func ready(_ readiness: Readiness) {
        guard let handle = unsafe handle else { return }
        if readiness.contains(.writable) { flush() }
        guard !readiness.isDisjoint(with: [.readable, .hangup]) else { return }
        guard unsafe PQconsumeInput(handle) == 1 else { return lose() }
        if script != nil { drainScript() } else { drain() }
        drainNotifications()
        startScript()
        if script == nil, !outgoing.isEmpty { scheduleFlush() }
    }

    private func drain() {
        while let handle = unsafe handle, !pipeline.isEmpty, unsafe PQisBusy(handle) == 0 {
            lastProgress = loop.now
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
            lastProgress = loop.now
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

    // MARK: Deadlines

    /// Makes sure the sweep runs at `deadline`, and when the server has been silent for too long.
    func watchOver(_ deadline: MonotonicInstant) {
        // While the pulse is asked, its answer is looked for: nobody waits for that one's loop.
        let doubt = pulse == nil ? silenceMax : ServerPulse.doubtAfter
        let patience = lastProgress.advanced(by: doubt)
        let look = patience > loop.now ? patience : loop.now.advanced(by: ServerPulse.lookEvery)
        let wanted = min(deadline, lastProgress.advanced(by: silenceMax), look)
        if let sweep, sweep.instant <= wanted { return }
        sweep?.cancel()
        sweep = loop.schedule(at: max(wanted, loop.now)) { [weak self] in self?.runSweep() }
    }

    /// Whether somebody waits for an answer that has been away for long enough to ask why.
    private func hearsNothing(at now: MonotonicInstant) -> Bool {
        lastProgress.advanced(by: ServerPulse.doubtAfter) <= now
            && pipeline.unanswered.contains { !$0.isFinished }
    }

    /// The server is frozen: whoever waits is told; the answers, when they come, find nobody.
    private func giveUpWaiting() {
        for request in pipeline.unanswered where !request.isFinished {
            request.finish(failing: .deadlineExceeded(sent: true))
        }
        let waiting = outgoing
        outgoing = []
        for item in waiting { item.finish(failing: .notConnected) }
    }

    private func runSweep() {
        sweep = nil
        let now = loop.now
        let isSilent = lastProgress.advanced(by: silenceMax) <= now
        if isSilent, !pipeline.isEmpty || script != nil { return lose() }
        if hearsNothing(at: now), let pulse {
            if pulse.isFrozen { giveUpWaiting() } else { pulse.doubt() }
        }
        var next = MonotonicInstant.distantFuture
        for request in pipeline.unanswered where !request.isFinished {
            if request.deadline <= now {
                // Its answer, when it comes, finds nobody.
                request.finish(failing: .deadlineExceeded(sent: true))
            } else {
                next = min(next, request.deadline)
            }
        }
        outgoing.removeAll { item in
            guard item.deadline <= now else {
                next = min(next, item.deadline)
                return false
            }
            item.finish(failing: .deadlineExceeded(sent: false))
            return true
        }
        if next != .distantFuture || !pipeline.isEmpty || script != nil { watchOver(next) }
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
