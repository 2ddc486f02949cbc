internal import Runtime

extension Connection {
    /// Whether the server has said that a commit of ours waits for its standby, and not answered
    /// since.
    var isHeldUp: Bool { toldToWait != nil }

    /// An answer has come.
    func progressed() {
        // Once a turn is enough: it may have a row of answers.
        if lastProgress != loop.now { pulse?.hears(at: loop.now) }
        lastProgress = loop.now
        if isHeldUp { goesOn(isAnswered: true) }
    }

    func goesOn(isAnswered: Bool) {
        guard isHeldUp else { return }
        toldToWait = nil
        pulse?.holdsUpNoMore(isAnswered: isAnswered)
    }

    /// Makes sure the sweep runs at `deadline`, and when the server has been silent for too long.
    func watchOver(_ deadline: MonotonicInstant) {
        // While the pulse is asked, its answer is looked for: nobody waits for that one's loop.
        let doubt = pulse == nil ? silenceMax : ServerPulse.doubtAfter
        let patience = lastProgress.advanced(by: doubt)
        let look = patience > loop.now ? patience : loop.now.advanced(by: ServerPulse.lookEvery)
        let end = isAskingWhy ? look : patienceEnds
        let wanted = min(deadline, end, isHeldUp ? end : look)
        if let sweep, sweep.instant <= wanted { return }
        sweep?.cancel()
        sweep = loop.schedule(at: max(wanted, loop.now)) { [weak self] in self?.runSweep() }
    }

    /// When a connection that hears nothing is asked about, and perhaps given up.
    private var patienceEnds: MonotonicInstant {
        (toldToWait ?? lastProgress).advanced(by: silenceMax)
    }

    /// Nothing was heard for `silenceMax`: closes, unless a commit waits for the server's standby.
    ///
    /// Such a commit keeps its server process when its connection is closed, and each connection
    /// after it would leave one more: the server's limit is met in minutes.
    ///
    /// - Returns: false when it is closed; true may yet end so.
    private func endSilence() -> Bool {
        guard let pulse, script == nil, !pulse.isFrozen else {
            lose()
            return false
        }
        guard !isAskingWhy else { return true }
        isAskingWhy = true
        let (process, heard) = (serverProcess, lastProgress)
        loop.spawn { [self] in
            let waits = await pulse.waitsForStandby(process, on: loop)
            isAskingWhy = false
            // Else an answer has come.
            guard isOpen, lastProgress == heard else { return }
            guard waits else { return lose() }
            if !isHeldUp { pulse.holdsUp() }
            toldToWait = loop.now
            giveUpWaiting()
            watchOver(.distantFuture)
        }
        return true
    }

    /// Whether somebody waits for an answer that has been away for long enough to ask why.
    private func hearsNothing(at now: MonotonicInstant) -> Bool {
        lastProgress.advanced(by: ServerPulse.doubtAfter) <= now
            && pipeline.unanswered.contains { !$0.isFinished }
    }

    /// The server is frozen, or held up: whoever waits is told; the answers, when they come, find
    /// nobody.
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
        if patienceEnds <= now, !pipeline.isEmpty || script != nil, !endSilence() { return }
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
