import Foundation

/// The processes that run for the stages: each has a process group of its own, and ends with us.
final class Children: @unchecked Sendable {  // `lock` guards what changes.
    private let lock = NSLock()
    private var processes: [Process] = []
    private var isOver = false
    private var isInterrupted = false

    /// Runs one to its end, unless all were ended.
    func run(_ process: Process) throws {
        try lock.withLock {
            guard !isOver else { throw CancellationError() }
            try process.run()
            processes.append(process)
        }
        process.waitUntilExit()
        lock.withLock { processes.removeAll { $0 === process } }
    }

    /// Tells all of them to end, and lets no new one start.
    ///
    /// As Ctrl-C would: told otherwise, a build leaves its compilers behind.
    func endAll() {
        lock.withLock {
            isOver = true
            for process in processes where process.isRunning { process.interrupt() }
        }
    }

    /// The same because somebody said so: what they come to is no result.
    func interruptAll() {
        lock.withLock { isInterrupted = true }
        endAll()
    }

    /// Does not return once somebody has said so: whoever waits for them ends us.
    func stayIfInterrupted() {
        while lock.withLock({ isInterrupted }) { Thread.sleep(forTimeInterval: 1) }
    }

    /// Waits until they have ended; timeout(1) ends them after ten seconds.
    func waitUntilOver() {
        for _ in 0..<110 {
            if lock.withLock({ processes.isEmpty }) { return }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }
}
