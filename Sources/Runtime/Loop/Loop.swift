internal import CLinux
import Glibc
internal import Synchronization

// @unchecked: state is touched by the loop's thread alone, except `inbox` (its lock) and the
// atomics.
/// One thread, one epoll, one inbox: where sockets, timers and tasks of a worker run.
///
/// It is a `TaskExecutor`, so a task that prefers it resumes on the thread that owns its socket
/// (about 1 µs; across loops 7 to 13 µs), and no `SerialExecutor` (decision 0164). Nothing on it
/// may block: a turn longer than 50 ms is counted and reported.
@safe package final class Loop: TaskExecutor, @unchecked Sendable {
    /// A turn longer than this holds up every request of the loop.
    package static let turnDurationMax = Duration.milliseconds(50)
    static let roundsPerTurnMax = 8
    static let eventsPerTurnMax = 256
    /// An idle loop waits this long for an event, then turns all the same.
    static let waitMillisecondsMax: Int32 = 1000

    /// The name given, also the thread's (15 bytes of it).
    package let name: String
    let epoll: Int32
    let wakeUp: EventDescriptor
    let events: UnsafeMutablePointer<epoll_event>

    // The loop's thread alone.
    var watches: [Watch?] = []
    var watchesMade: UInt64 = 0
    var timers = TimerHeap()
    var timersMade: UInt64 = 0
    var endOfTurn: [() -> Void] = []
    var jobs: [UnownedJob] = []
    var spareJobs: [UnownedJob] = []
    var posted: [@Sendable () -> Void] = []
    var turnStart = MonotonicInstant.now()
    var stallHandler: (@Sendable (Duration) -> Void)?

    // Any thread.
    let inbox = Guarded(Inbox())
    let owner = Atomic<UInt>(0)
    let stopping = Atomic<Bool>(false)
    let stalls = Atomic<UInt64>(0)
    let turned = Atomic<UInt64>(0)
    let thread = Guarded<pthread_t?>(nil)

    struct Inbox {
        var jobs: [UnownedJob] = []
        var posted: [@Sendable () -> Void] = []
        var isEmpty: Bool { jobs.isEmpty && posted.isEmpty }
    }

    /// Opens the loop's descriptors; `start` or `run` sets it turning.
    ///
    /// - Throws: `epoll_create1`, `eventfd` or `epoll_ctl`, when the process is out of descriptors.
    package init(name: String) throws(SystemError) {
        self.name = name
        wakeUp = try EventDescriptor()
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        unsafe events = .allocate(capacity: Self.eventsPerTurnMax)
        guard epoll >= 0 else { throw .last("epoll_create1") }
        let added = clinux_epoll_control(
            epoll,
            EPOLL_CTL_ADD,
            wakeUp.number,
            EPOLLIN.rawValue,
            UInt64.max
        )
        guard added == 0 else { throw .last("epoll_ctl") }
    }

    deinit {
        close(epoll)
        unsafe events.deallocate()
    }

    // MARK: - Thread

    /// The loop whose thread is calling, if it is one.
    package static var current: Loop? { LoopThread.current }

    /// Whether the caller is on the loop's thread.
    package var isCurrent: Bool { owner.load(ordering: .relaxed) == LoopThread.identity }

    /// Traps, in debug builds, when the caller is not on the loop's thread.
    package func assertCurrent() {
        assert(isCurrent, "not on the loop's thread")
    }

    /// Whether `stop` was called.
    package var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// How many turns took longer than `turnDurationMax`.
    package var stallCount: UInt64 { stalls.load(ordering: .relaxed) }

    /// When the last turn began, from any thread: a loop that stands still does not move it.
    package var lastTurn: MonotonicInstant {
        MonotonicInstant(nanoseconds: turned.load(ordering: .relaxed))
    }

    /// How long a loop may go without a turn before its process counts as dead (Architecture 13).
    package static let silenceMax = Duration.seconds(5)

    /// Whether it has turned within `silenceMax`; from any thread.
    package var isTurning: Bool {
        MonotonicInstant.now().since(lastTurn) < Self.silenceMax
    }

    /// The instant of this turn, read once.
    package var now: MonotonicInstant {
        isCurrent ? turnStart : .now()
    }

    /// Calls `handler` on the loop with the length of each turn that was too long.
    package func onStall(_ handler: @escaping @Sendable (Duration) -> Void) {
        post { [unowned self] in stallHandler = handler }
    }

    // MARK: - Executor

    /// Takes a job: without a lock on the loop's own thread, through the inbox from others.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            jobs.append(job)
            return
        }
        let wasEmpty = inbox.withLock { inbox in
            defer { inbox.jobs.append(job) }
            return inbox.isEmpty
        }
        if wasEmpty { wakeUp.signal() }
    }

    /// Runs `body` on the loop's thread, in order of posting, from any thread.
    package func post(_ body: @escaping @Sendable () -> Void) {
        if isCurrent {
            posted.append(body)
            return
        }
        let wasEmpty = inbox.withLock { inbox in
            defer { inbox.posted.append(body) }
            return inbox.isEmpty
        }
        if wasEmpty { wakeUp.signal() }
    }

    /// Starts a task that stays on the loop: at once when called there.
    ///
    /// The only place tasks are made.
    @discardableResult
    package func spawn(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        isCurrent
            ? Task.immediate(executorPreference: self) { await body() }
            : Task(executorPreference: self) { await body() }
    }

    /// Parks the calling task until the continuation given to `body` is resumed, exactly once.
    @safe package func suspend<Answer: Sendable>(
        _ body: (UnsafeContinuation<Answer, Never>) -> Void
    ) async -> Answer {
        await unsafe withUnsafeContinuation { continuation in
            unsafe body(continuation)
        }
    }
}
