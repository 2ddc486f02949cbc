import Runtime

/// Runs jobs one at a time on the calling thread, in an order that a seed decides.
final class SeededExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var random: UInt64
        var steps = 0
    }

    private let state: Guarded<State>

    init(seed: UInt64) {
        // Xorshift has one fixed point: nought.
        state = Guarded(State(random: seed &* 0x9E37_79B9_7F4A_7C15 | 1))
    }

    /// Jobs run so far: the simulation's time.
    var steps: Int { state.withLock { $0.steps } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// A number from 0 up to but not including `bound`.
    func draw(_ bound: Int) -> Int {
        state.withLock { Int(Self.next(&$0.random) % UInt64(bound)) }
    }

    /// Runs until nothing is left to run.
    func runUntilIdle() {
        while let job = take() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func take() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else { return nil }
            state.steps += 1
            let index = Int(Self.next(&state.random) % UInt64(state.jobs.count))
            return state.jobs.remove(at: index)
        }
    }

    private static func next(_ state: inout UInt64) -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
