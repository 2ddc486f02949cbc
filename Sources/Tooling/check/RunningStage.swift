import Foundation

/// A stage under way, on a thread of its own: others may run beside it.
final class RunningStage: @unchecked Sendable {  // `lock` guards `end`.
    private let begin = ContinuousClock.now
    private let lock = NSLock()
    private var end: (outcome: Outcome, time: Duration)?

    /// Starts it.
    init(_ work: @escaping @Sendable () -> Outcome) {
        Thread.detachNewThread { [self] in
            let outcome = work()
            let time = ContinuousClock.now - begin
            lock.withLock { end = (outcome, time) }
        }
    }

    var isDone: Bool { lock.withLock { end != nil } }

    /// Waits for its end.
    ///
    /// - Parameter progress: called every second with the seconds since it was started.
    /// - Returns: what it came to, and what it took.
    func wait(progress: (Int) -> Void = { _ in }) -> (outcome: Outcome, time: Duration) {
        var seconds = Int((ContinuousClock.now - begin).components.seconds)
        while true {
            if let end = lock.withLock({ end }) { return end }
            Thread.sleep(forTimeInterval: 0.02)
            let elapsed = Int((ContinuousClock.now - begin).components.seconds)
            guard elapsed > seconds else { continue }
            seconds = elapsed
            progress(seconds)
        }
    }
}
