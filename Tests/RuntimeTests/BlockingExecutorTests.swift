import Foundation
import Runtime
import TestSupport
import Testing

@Suite("Blocking executor", .timeLimit(.minutes(1))) struct BlockingExecutorTests {
    @Test("the caller resumes on its loop with the answer") func resumes() async throws {
        let loop = try Loop.running()
        defer { loop.end() }
        let executor = BlockingExecutor()
        let result = Guarded<[Bool]>([])
        await loop.spawn {
            let onLoop = try? await executor.run { loop.isCurrent }
            result.replace(with: [onLoop == false, loop.isCurrent])
        }.value
        #expect(result.current == [true, true])
    }

    @Test("call 261 is refused while 4 run and 256 wait") func overload() async throws {
        let executor = BlockingExecutor()
        let gate = Guarded(false)
        let running = Guarded(0)
        let refused = Guarded(0)
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    _ = try? await executor.run {
                        running.withLock { $0 += 1 }
                        while !gate.current { usleep(500) }
                    }
                }
            }
            while running.current < 4 { try await Task.sleep(for: .milliseconds(1)) }
            for _ in 0..<300 {
                group.addTask {
                    do throws(BlockingExecutor.Overloaded) {
                        try await executor.run {}
                    } catch {
                        refused.withLock { $0 += 1 }
                    }
                }
            }
            defer { gate.replace(with: true) }
            while refused.current < 44 { try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(refused.current == 44)
    }

    @Test("calls that are over are let go, also while others always wait") func letsGo()
        async throws
    {
        let executor = BlockingExecutor()
        let living = Guarded((now: 0, most: 0))
        try await withThrowingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    for _ in 0..<100 {
                        let call = Life(living)
                        // Slower than who asks again: so some always wait.
                        try await executor.run { withExtendedLifetime(call) { _ = usleep(300) } }
                    }
                }
            }
            try await group.waitForAll()
        }
        // 64 at a time, and those that the queue keeps for a while.
        #expect(living.current.most < 640, "\(living.current)")
    }
}

/// Counts how many there are of it.
private final class Life: Sendable {
    private let living: Guarded<(now: Int, most: Int)>

    init(_ living: Guarded<(now: Int, most: Int)>) {
        self.living = living
        living.withLock { living in
            living.now += 1
            living.most = max(living.most, living.now)
        }
    }

    deinit { living.withLock { $0.now -= 1 } }
}
