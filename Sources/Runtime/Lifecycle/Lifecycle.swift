internal import CLinux
import Glibc

// @unchecked: all state but `wanted` is touched on the loop's thread alone; `wanted` is guarded.
/// The life of a process: components started in order, signals, components stopped in reverse.
///
/// SIGTERM and SIGINT end it, a second one at once with code 1; SIGHUP reloads. Between the signal
/// and the first stop it gives notice, so that nobody sends new work here any more. The first line
/// of `main` is `Lifecycle.prepare()`, before any thread exists.
@safe package final class Lifecycle: @unchecked Sendable {
    private let loop: Loop
    private let log: Log
    private let components: [Component]
    private let notice: Duration
    private let wanted = Guarded<ExitCode?>(nil)
    private var waiting: UnsafeContinuation<ExitCode, Never>?
    private var isStopping = false
    /// A signal has asked for the end; one that comes behind an end of our own is the first, too.
    private var isTold = false
    private var asksAll = false
    private var isReloading = false
    private var wantsReload = false
    private let failedReload = Guarded(false)
    /// Called on the loop at the first signal that ends the process; set before `run`.
    package var onSignal: () -> Void = {}
    /// Whether the process still does its work, asked for systemd's watchdog on the loop, which
    /// itself must turn for that; set before `run`.
    package var isAlive: () -> Bool = { true }
    /// Tells the service manager a word; false when it has to be told again.
    ///
    /// Set before `run`.
    package var tell: (String) -> Bool = { ServiceManager.notify($0) }
    /// Gives the descriptor that tells of signals, or a negative number.
    ///
    /// Set before `run`.
    var openSignals: () -> Int32 = { Lifecycle.signalDescriptor() }
    /// How long a component may read again before somebody is told.
    ///
    /// Set before `run`.
    var reloadMax = Duration.seconds(60)

    /// Keeps the components in the order they start; `notice` is the time between the word of the
    /// end and the end.
    package init(
        on loop: Loop,
        log: Log,
        notice: Duration = .zero,
        _ components: [Component]
    ) {
        self.loop = loop
        self.log = log
        self.notice = notice
        self.components = components
    }

    /// Blocks the signals a lifecycle reads, for this thread and those it will start, and keeps
    /// what they free.
    ///
    /// Writing to a closed connection is an error afterwards, not the end (SIGPIPE ignored). Up
    /// to 8 MiB of freed memory a thread stay with the process for the next turn.
    package static func prepare() {
        clinux_keep_heap()
        signal(SIGPIPE, SIG_IGN)
        signal(SIGCHLD, SIG_DFL)  // Who started us may ignore it; then no child's end is heard of.
        var signals = handledSignals()
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Forbids core dumps and reading our memory through /proc (Security 6): before a
    /// program reads its first file.
    ///
    /// What it starts later makes no core dumps either.
    package static func forbidDumps() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = clinux_forbid_dumps()
    }

    /// Starts `components`, which listen nowhere, and ends: what each refuses is in the log.
    ///
    /// - Returns: `.configuration` when one of them said so, else the code of the first failure;
    ///   nil when a signal ended it before all of them were asked, and none had refused.
    package static func check(on loop: Loop, log: Log, _ components: [Component]) -> ExitCode? {
        let ending = Guarded<Lifecycle?>(nil)
        let isDone = Guarded(false)
        let last = Component(
            "check",
            start: {
                isDone.replace(with: true)
                ending.current?.end(.success)
            }
        )
        let lifecycle = Lifecycle(on: loop, log: log, components + [last])
        lifecycle.asksAll = true
        // What starts and ends here is no service.
        lifecycle.tell = { _ in true }
        ending.replace(with: lifecycle)
        defer { ending.replace(with: nil) }
        let code = lifecycle.run()
        return code == .success && !isDone.current ? nil : code
    }

    /// Runs the loop on this thread until the process should end; the caller exits with the code.
    package func run() -> ExitCode {
        let code = Guarded(ExitCode.failure)
        loop.post { [self] in
            loop.spawn { [self] in
                code.replace(with: await live())
                loop.stop()
            }
        }
        loop.run()
        return code.current
    }

    /// Ends the process in order, with `code`; from any thread, the first call counts.
    package func end(_ code: ExitCode) {
        let isFirst = wanted.withLock { wanted in
            defer { wanted = wanted ?? code }
            return wanted == nil
        }
        guard isFirst else { return }
        loop.post { [self] in
            unsafe waiting?.resume(returning: code)
            unsafe waiting = nil
        }
    }

    private func live() async -> ExitCode {
        let signals: Watch
        do { signals = try watchSignals() } catch {
            // It would serve, and be deaf to whoever ends it.
            log.error(
                "signals cannot be heard: nothing is started",
                .error(error),
                .field("next", "see what this host and LimitNOFILE allow in open files")
            )
            return .temporaryFailure
        }
        defer {
            signals.cancel()
            close(signals.descriptor)
        }
        var started: [Component] = []
        var code: ExitCode?
        for component in components {
            do throws(Component.StartFailure) {
                try await component.start()
                started.append(component)
            } catch {
                log.error(
                    "a component did not start",
                    .field("component", component.name),
                    .field("error", error.reason)
                )
                // Asking again later does not help while the configuration is wrong.
                if code == nil || error.exitCode == .configuration { code = error.exitCode }
            }
            if code != nil && !asksAll || wanted.current != nil { break }
        }
        let ending = if let code { code } else { await waitForEnd() }
        isStopping = true
        say("STOPPING=1")
        for component in started { component.retire() }
        // Who never started was never sent anything.
        if code == nil, notice > .zero {
            try? await loop.sleep(until: loop.now.advanced(by: notice))
        }
        for component in started.reversed() { await component.stop() }
        return ending
    }

    private func waitForEnd() async -> ExitCode {
        if let code = wanted.current { return code }
        say("READY=1")
        beat()
        log.notice("started")
        return await loop.suspend { unsafe waiting = $0 }
    }

    /// Tells the service manager what it hears once, and again while it cannot take it.
    ///
    /// It ends a process that does not say that it is ready.
    private func say(_ word: String) {
        guard !tell(word) else { return }
        let wasStopping = isStopping
        loop.schedule(at: loop.now.advanced(by: .milliseconds(100))) { [self] in
            if isStopping == wasStopping { say(word) }
        }
    }

    /// Tells systemd's watchdog that we live, as often as it wants to hear it.
    private func beat() {
        guard let interval = ServiceManager.watchdogInterval else { return }
        if isAlive() { _ = tell("WATCHDOG=1") }
        loop.schedule(at: loop.now.advanced(by: interval)) { [self] in beat() }
    }

    private static func signalDescriptor() -> Int32 {
        var signals = handledSignals()
        let flags = Int32(SFD_NONBLOCK) | Int32(SFD_CLOEXEC)
        return unsafe signalfd(-1, &signals, flags)
    }

    private func watchSignals() throws(SystemError) -> Watch {
        let descriptor = openSignals()
        guard descriptor >= 0 else { throw .last("signalfd") }
        return loop.watch(descriptor, .readable) { [self] _ in
            var received = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            while unsafe read(descriptor, &received, size) == size {
                handle(Int32(received.ssi_signo))
            }
        }
    }

    func handle(_ signal: Int32) {
        if signal == SIGHUP { return reload() }
        if isTold {
            log.error("told twice to end")
            log.flush(within: .milliseconds(200))
            _exit(ExitCode.failure.rawValue)
        }
        isTold = true
        log.notice("asked to end", .field("signal", signal))
        onSignal()
        end(.success)
    }

    /// Whether the last reload was not carried out in full, or takes longer than a minute.
    package var hasFailedReload: Bool { failedReload.current }

    /// Lets every component read again what may change while it runs, as SIGHUP does; from any
    /// thread, one reload at a time.
    ///
    /// Asked for during one, there is another: what was read already may have changed since.
    package func reload() {
        loop.post { [self] in
            wantsReload = true
            guard !isReloading else { return }
            isReloading = true
            loop.spawn { [self] in
                while wantsReload, !isStopping {
                    wantsReload = false
                    await reloadAll()
                }
                isReloading = false
            }
        }
    }

    private func reloadAll() async {
        var hasFailed = false
        for component in components where !isStopping {
            let limit = loop.schedule(at: loop.now.advanced(by: reloadMax)) { [self] in
                tellLate(component.name)
            }
            defer { limit.cancel() }
            do throws(Component.ReloadFailure) { try await component.reload() } catch {
                hasFailed = true
                log.error(
                    "not reloaded, what was there stays in use",
                    .field("component", component.name),
                    .field("error", error.reason)
                )
            }
        }
        failedReload.replace(with: hasFailed)
        if !hasFailed { log.notice("reloaded") }
    }

    /// What it reads may hang for ever, and every later reload waits behind it.
    private func tellLate(_ component: String) {
        failedReload.replace(with: true)
        log.error(
            "a reload has not ended, and what was there stays in use meanwhile",
            .field("component", component),
            .field("ms", reloadMax),
            .field("next", "look at the disks of its files; if they stay silent, restart")
        )
    }

    private static func handledSignals() -> sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&signals, signal) }
        return signals
    }
}
