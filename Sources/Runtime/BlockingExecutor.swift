/// A few threads for calls that block: key generation, files, names, questions to Kafka.
///
/// A loop awaits them without standing still. At most 256 calls wait; more are refused at once.
package final class BlockingExecutor: Sendable {
    /// The queue is full; nothing was run.
    package struct Overloaded: Error, Hashable, Sendable {}

    /// How many calls run at once, unless it is said otherwise.
    package static let threadCount = 4
    /// How many calls wait at most.
    package static let waitingMax = 256

    private let calls = BlockingQueue<@Sendable () -> Void>(capacity: waitingMax)

    /// Starts so many threads; they end with the executor.
    package init(threads: Int = BlockingExecutor.threadCount) {
        for _ in 0..<threads {
            let isStarted = SystemThread.detach(named: "blocking") { [calls] in
                while let call = calls.take() { call() }
            }
            precondition(isStarted, "the system refused a thread")
        }
    }

    deinit { calls.close() }

    /// Runs `body` on one of the threads; the caller resumes where it was, on its loop.
    ///
    /// A cancelled caller still waits for the end of `body`.
    /// - Throws: `Overloaded` when 256 calls wait already.
    package func run<Answer: Sendable>(
        _ body: @escaping @Sendable () -> Answer
    ) async throws(Overloaded) -> Answer {
        let answer: Answer? = await unsafe withUnsafeContinuation { continuation in
            let accepted = calls.put {
                let answer = body()
                unsafe continuation.resume(returning: answer)
            }
            if !accepted { unsafe continuation.resume(returning: nil) }
        }
        guard let answer else { throw Overloaded() }
        return answer
    }
}
