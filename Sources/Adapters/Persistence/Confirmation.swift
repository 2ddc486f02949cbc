internal import Domain
internal import Issuing
internal import Runtime

// @unchecked: touched on its loop alone; each entry checks.
/// Whether what a loop has looked at lasts (decision 0234).
///
/// One commit serves all who come while it is waited for, each until its own deadline: it is no
/// request's, and goes on when those that asked for it have gone.
final class Confirmation: @unchecked Sendable {
    /// A request that waits for its commit.
    private final class Waiter {
        /// The connection that it may have looked through.
        let needed: Int
        private let turn: Resumption<Bool>
        var timer: LoopTimer?

        init(_ needed: Int, _ turn: Resumption<Bool>) {
            self.needed = needed
            self.turn = turn
        }

        func resume(_ isAnswered: Bool) {
            timer?.cancel()
            turn.resume(returning: isAnswered)
        }
    }

    /// Longer than any request waits; a connection that is silent ends it before.
    private static let commitMax = Duration.seconds(30)

    private let loop: Loop
    private let commit: @Sendable (Deadline) async throws(StoreError) -> Void
    /// The connections that the loop has looked through, counted.
    private var newest = 0
    /// A commit of ours was answered that was begun after this one was made.
    private var confirmed = 0
    private var isAsking = false
    /// Whether its commit has begun: until then who joins is there from the start.
    private var isUnderWay = false
    private var waiting: [Waiter] = []

    /// `commit`: returns when one that was begun by it is answered.
    init(
        on loop: Loop,
        _ commit: @escaping @Sendable (Deadline) async throws(StoreError) -> Void
    ) {
        self.loop = loop
        self.commit = commit
    }

    /// A connection for looking was made.
    func beginConnection() {
        loop.assertCurrent()
        newest += 1
    }

    /// Returns at once, but for the first calls over a new connection, which wait for a commit.
    ///
    /// - Throws: `.unavailable` when that failed, or was not answered by the deadline.
    func confirm(by deadline: Deadline) async throws(StoreError) {
        loop.assertCurrent()
        let needed = newest
        // What fails one that had begun before, such as a server that was away, may be over: so
        // there is one more, as there is for who comes a moment later.
        var hasAnother = isUnderWay
        while confirmed < needed {
            if await isAnswered(needed, by: deadline) {
                // If that was for an older connection alone, the next is its own from the start.
                hasAnother = false
                continue
            }
            guard hasAnother, loop.now < MonotonicInstant(deadline) else { throw .unavailable }
            hasAnother = false
        }
    }

    /// True also when it was answered for those of an older connection alone.
    private func isAnswered(_ needed: Int, by deadline: Deadline) async -> Bool {
        await loop.park { (turn: Resumption<Bool>) in
            let waiter = Waiter(needed, turn)
            waiter.timer = loop.schedule(at: MonotonicInstant(deadline)) { [self] in
                waiting.removeAll { $0 === waiter }
                waiter.resume(false)
            }
            waiting.append(waiter)
            guard !isAsking else { return }
            isAsking = true
            loop.post { [self] in loop.spawn { [self] in await ask() } }
        }
    }

    private func ask() async {
        let begun = newest
        var isIn = true
        isUnderWay = true
        let limit = loop.now.advanced(by: Self.commitMax)
        do throws(StoreError) {
            try await commit(Deadline(nanoseconds: limit.nanoseconds))
            confirmed = max(confirmed, begun)
        } catch { isIn = false }
        isAsking = false
        isUnderWay = false
        let waiters = waiting
        waiting = []
        // Who came over a newer connection needs a commit of since then, and asks again.
        for waiter in waiters { waiter.resume(isIn || waiter.needed > begun) }
    }
}
