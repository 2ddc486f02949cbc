import Foundation
import Runtime
import Testing

@Suite("Blocking executor", .timeLimit(.minutes(1))) struct BlockingExecutorTests {
    @Test("the caller resumes on its loop with the answer") func resumes() async throws {
        let loop = try Loop(name: "test")
        loop.start()
        let executor = BlockingExecutor()
        let result = Guarded<[Bool]>([])
        await loop.spawn {
            let onLoop = try? await executor.run { loop.isCurrent }
            result.replace(with: [onLoop == false, loop.isCurrent])
        }.value
        loop.stop()
        loop.join()
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
}
