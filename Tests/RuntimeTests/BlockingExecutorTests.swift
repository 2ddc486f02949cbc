import Foundation
import Runtime
import Testing

@Suite("Blocking executor") struct BlockingExecutorTests {
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
        let refused = Guarded(0)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    _ = try? await executor.run { while !gate.current { usleep(500) } }
                }
            }
            usleep(50_000)
            for _ in 0..<300 {
                group.addTask {
                    do throws(BlockingExecutor.Overloaded) {
                        try await executor.run {}
                    } catch {
                        refused.withLock { $0 += 1 }
                        if refused.current == 44 { gate.replace(with: true) }
                    }
                }
            }
        }
        #expect(refused.current == 44)
    }
}
