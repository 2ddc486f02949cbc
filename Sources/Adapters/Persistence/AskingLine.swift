internal import Runtime

// @unchecked: touched on its loop alone.
/// Lets so many ask PostgreSQL at a time, the others in the order they came.
///
/// A connection takes 64 statements and refuses more: whoever wakes hundreds at once needs a line.
final class AskingLine: @unchecked Sendable {
    private static let servedMax = 1024

    private let loop: Loop
    private var free: Int
    /// Served from `next` on.
    private var waiting: [Resumption<Void>] = []
    private var next = 0

    /// A line of the tasks of a loop.
    init(on loop: Loop, atOnce free: Int) {
        self.loop = loop
        self.free = free
    }

    /// The answer, once it is this task's turn; nil when that is after `deadline`.
    func ask<Answer: Sendable>(
        by deadline: MonotonicInstant,
        _ question: () async -> Answer?
    ) async -> Answer? {
        loop.assertCurrent()
        if free > 0 {
            free -= 1
        } else {
            await loop.park { waiting.append($0) }
        }
        defer { passOn() }
        guard MonotonicInstant.now() < deadline else { return nil }
        return await question()
    }

    private func passOn() {
        guard next < waiting.count else {
            waiting.removeAll(keepingCapacity: true)
            next = 0
            free += 1
            return
        }
        waiting[next].resume(returning: ())
        next += 1
        // A line that is never empty must not keep all who ever stood in it.
        guard next == Self.servedMax else { return }
        waiting.removeFirst(next)
        next = 0
    }
}
