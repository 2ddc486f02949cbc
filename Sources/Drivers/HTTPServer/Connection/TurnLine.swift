internal import Runtime

// @unchecked: touched on `loop` alone.
/// Connections that have had their share of a turn and have more to do, first come first served.
///
/// Beside hundreds of clients that send ahead one request each a turn would still be a long turn,
/// and an answer that asks PostgreSQL waits for several. So a turn has a time for all of them
/// together; who asks for one thing at a time does not stand here.
final class TurnLine: @unchecked Sendable {
    /// What a turn has for all who stand here; the one that is over it comes to its end.
    static let timeMax = Duration.milliseconds(2)

    private let loop: Loop
    private var waiting: ArraySlice<() -> Void> = []
    private var isScheduled = false

    init(on loop: Loop) { self.loop = loop }

    /// Runs `body` in a later turn, once, after all who stand here already.
    func join(_ body: @escaping () -> Void) {
        waiting.append(body)
        schedule()
    }

    /// Whoever stands here is gone.
    func clear() { waiting = [] }

    private func schedule() {
        guard !isScheduled, !waiting.isEmpty else { return }
        isScheduled = true
        loop.schedule(at: loop.now) { [self] in serve() }
    }

    private func serve() {
        isScheduled = false
        let end = MonotonicInstant.now().advanced(by: Self.timeMax)
        var rest = waiting
        waiting = []
        while let next = rest.popFirst() {
            next()
            if MonotonicInstant.now() >= end { break }
        }
        // Who came back in this turn stands behind those it had no time for.
        // In room of their own: what was taken out in front stays in that of the old line.
        waiting = ArraySlice(Array(rest) + waiting)
        schedule()
    }
}
