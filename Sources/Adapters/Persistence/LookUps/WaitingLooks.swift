package import Domain
internal import Issuing
package import Runtime

/// Lets so many waiting pages of a loop look at once, the others in the order they came.
///
/// Thousands may wait, and look every two seconds; a loop refuses who asks for a stream while
/// `LookUps.waitingMax` are asked for, and that must not be who comes for tokens.
package struct WaitingLooks: LookTurns {
    /// A look has one stream at a time: a quarter of what the loop's look-ups take.
    private static let atOnceMax = LookUps.waitingMax / 4

    private let lines: [(loop: Loop, line: AskingLine)]

    /// A line for each loop that pages wait on.
    package init(loops: [Loop]) {
        lines = loops.map { ($0, AskingLine(on: $0, atOnce: Self.atOnceMax)) }
    }

    package func take<Answer: Sendable>(
        by deadline: Deadline,
        _ look: () async -> Answer
    ) async -> Answer? {
        guard let current = Loop.current,
            let found = lines.first(where: { $0.loop === current })
        else { return nil }
        return await found.line.ask(by: MonotonicInstant(deadline), look)
    }
}
