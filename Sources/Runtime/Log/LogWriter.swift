internal import CLinux
import Glibc
internal import Synchronization

/// Writes log lines from a thread of its own, so that a slow disk or pipe never stops a loop.
///
/// A ring of 4 096 lines; when it is full, new lines are dropped and counted.
package final class LogWriter: Sendable {
    /// How many lines wait at most.
    package static let linesMax = 4_096

    private let lines = BlockingQueue<[UInt8]>(capacity: linesMax)
    private let threshold: Atomic<Int>
    private let dropped = Atomic<UInt64>(0)
    private let accepted = Atomic<UInt64>(0)
    private let written = Atomic<UInt64>(0)

    /// Starts the thread, writing to `descriptor`, which stays the caller's.
    package init(descriptor: Int32 = STDERR_FILENO, level: Log.Level = .info) {
        threshold = Atomic(level.rawValue)
        let isStarted = SystemThread.detach(named: "log") { [self] in
            while let batch = lines.takeAll() {
                dropped.add(Self.write(batch, to: descriptor), ordering: .relaxed)
                written.add(UInt64(batch.count), ordering: .releasing)
            }
        }
        precondition(isStarted, "the system refused a thread")
    }

    /// How many lines were dropped, because the ring was full or nothing took them.
    package var droppedLines: UInt64 { dropped.load(ordering: .relaxed) }

    /// Writes lines of `level` and above from now on.
    package func setLevel(_ level: Log.Level) {
        threshold.store(level.rawValue, ordering: .relaxed)
    }

    /// Waits until the lines put so far are written or lost, at most `timeout`; for the end of a
    /// process.
    package func flush(within timeout: Duration = .seconds(1)) {
        let goal = accepted.load(ordering: .acquiring)
        let deadline = MonotonicInstant.now().advanced(by: timeout)
        while written.load(ordering: .acquiring) < goal, MonotonicInstant.now() < deadline {
            usleep(500)
        }
    }

    func writes(_ level: Log.Level) -> Bool { level.rawValue >= threshold.load(ordering: .relaxed) }

    func put(_ line: [UInt8]) {
        if lines.put(line) {
            accepted.add(1, ordering: .releasing)
        } else {
            dropped.add(1, ordering: .relaxed)
        }
    }

    /// Writes `batch`; how many of its lines were lost.
    private static func write(_ batch: [[UInt8]], to descriptor: Int32) -> UInt64 {
        var rest = Array(batch.joined())[...]
        // A full disk: nowhere left to say it.
        try? FileWriting.write(&rest, to: descriptor)
        return UInt64(rest.count { $0 == UInt8(ascii: "\n") })
    }
}
