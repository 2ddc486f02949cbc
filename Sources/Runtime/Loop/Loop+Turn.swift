internal import CLinux
import Glibc
internal import Synchronization

extension Loop {
    /// Runs the loop on a thread of its own; returns at once.
    package func start() {
        let thread = SystemThread.start { [self] in
            // Not in `run`: the first thread's name is the process's, which `ps` and `pgrep` know.
            LoopThread.name(after: self)
            run()
        }
        guard let thread else { preconditionFailure("the system refused a thread") }
        self.thread.replace(with: thread)
    }

    /// Turns until `stop`, on the calling thread.
    package func run() {
        precondition(owner.load(ordering: .relaxed) == 0, "a loop runs once at a time")
        owner.store(LoopThread.identity, ordering: .relaxed)
        LoopThread.take(self)
        while !isStopping { turn() }
        drain()
        LoopThread.leave()
        owner.store(0, ordering: .relaxed)
    }

    /// Ends the loop after its turn, from any thread.
    ///
    /// Tasks that wait then wait for ever.
    package func stop() {
        stopping.store(true, ordering: .releasing)
        wakeUp.signal()
    }

    /// Waits until the thread made by `start` has ended; never from that thread.
    package func join() {
        if let thread = thread.replace(with: nil) { pthread_join(thread, nil) }
    }

    /// Runs `body` once, after the jobs of this turn and before the next wait for events.
    ///
    /// How the requests of one turn travel together: the first asks for the call, all join it. In
    /// the order of asking, but before those who asked so far with `first`.
    package func atEndOfTurn(first isFirst: Bool = false, _ body: @escaping () -> Void) {
        assertCurrent()
        endOfTurn.insert(body, at: isFirst ? 0 : endOfTurn.count)
    }

    /// Turns once as if its clock showed `instant`, on the calling thread, without asking for
    /// events: how the simulator runs the loops of several processes on one thread.
    package func step(at instant: MonotonicInstant) {
        precondition(owner.load(ordering: .relaxed) == 0, "a loop runs once at a time")
        owner.store(LoopThread.identity, ordering: .relaxed)
        LoopThread.take(self)
        turnStart = instant
        fireTimers()
        drain()
        endTurn()
        LoopThread.leave()
        owner.store(0, ordering: .relaxed)
    }

    /// Whether `step(at:)` has something to do at `instant`.
    package func isReady(at instant: MonotonicInstant) -> Bool {
        // Counts: asked so often, and built without optimisation, the generic `isEmpty` is felt.
        if jobs.count + posted.count + endOfTurn.count > 0 { return true }
        if inbox.withLock({ $0.jobs.count + $0.posted.count }) > 0 { return true }
        guard timers.count > 0, let next = nextTimer else { return false }
        return next <= instant
    }

    /// When its next timer is due, if it has one.
    package var nextTimer: MonotonicInstant? { timers.first?.instant }

    private func turn() {
        let count = unsafe epoll_wait(epoll, events, Int32(Self.eventsPerTurnMax), timeout())
        turnStart = .now()
        turned.store(turnStart.nanoseconds, ordering: .relaxed)
        dispatch(Int(max(0, count)))
        fireTimers()
        drain()
        endTurn()
        let length = MonotonicInstant.now().since(turnStart)
        if length > Self.turnDurationMax {
            stalls.add(1, ordering: .relaxed)
            stallHandler?(length)
        }
    }

    private func endTurn() {
        let bodies = endOfTurn
        endOfTurn.removeAll(keepingCapacity: true)
        for body in bodies { body() }
    }

    private func timeout() -> Int32 {
        guard jobs.isEmpty, posted.isEmpty, endOfTurn.isEmpty else { return 0 }
        // An idle loop turns too, or `lastTurn` could not tell it from one that stands still.
        guard let first = timers.first else { return Self.waitMillisecondsMax }
        let wait = first.instant.since(.now()).clampedNanoseconds
        // Rounded up: early would spin. Not by adding first: the distant future has no more.
        let milliseconds = Int32(clamping: wait / 1_000_000 + (wait % 1_000_000 == 0 ? 0 : 1))
        return min(milliseconds, Self.waitMillisecondsMax)
    }

    private func dispatch(_ count: Int) {
        for index in 0..<count {
            let tag = unsafe clinux_epoll_tag(events + index)
            if tag == UInt64.max {
                wakeUp.clear()  // Before the inbox is taken, in `drain`.
                continue
            }
            // The tag names the watch, not only the descriptor: a handler earlier in this turn may
            // have closed it, and an accept may have given its number to another.
            let descriptor = Int(tag & 0xFFFF_FFFF)
            guard descriptor < watches.count, let watch = watches[descriptor], watch.tag == tag
            else { continue }
            watch.fire(unsafe events[index].events)
        }
    }

    private func fireTimers() {
        // What these make runs in a later turn, so timers cannot keep the sockets waiting.
        let made = timersMade
        while let timer = timers.first, timer.sequence <= made, timer.instant <= turnStart {
            timers.remove(timer)
            timer.fire()
        }
    }

    private func drain() {
        takeInbox()
        let executor = unsafe asUnownedTaskExecutor()
        for _ in 0..<Self.roundsPerTurnMax {
            if jobs.isEmpty && posted.isEmpty { return }
            swap(&jobs, &spareJobs)
            for job in spareJobs {
                // Isolated to no actor, as its task is: otherwise each return of an asynchronous
                // function would be a switch between executors, and a turn in `jobs`.
                unsafe job.runSynchronously(on: executor)
            }
            spareJobs.removeAll(keepingCapacity: true)
            let bodies = posted
            posted.removeAll(keepingCapacity: true)
            for body in bodies { body() }
        }
    }

    private func takeInbox() {
        let taken = inbox.withLock { inbox in
            defer { if !inbox.isEmpty { inbox = Inbox() } }
            return inbox
        }
        jobs.append(contentsOf: taken.jobs)
        posted.append(contentsOf: taken.posted)
    }
}
