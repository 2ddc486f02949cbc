import Foundation

/// The processes that run for the stages: each has a process group of its own, and ends with us.
final class Children: @unchecked Sendable {  // `lock` guards both.
    private let lock = NSLock()
    private var processes: [Process] = []
    private var isOver = false

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

    /// Waits until they have ended; timeout(1) ends them after ten seconds.
    func waitUntilOver() {
        for _ in 0..<110 {
            if lock.withLock({ processes.isEmpty }) { return }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }
}
