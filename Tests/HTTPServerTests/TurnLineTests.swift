@testable import HTTPServer
import Runtime
import TestSupport
import Testing

@Suite("Who stands in line for another share", .timeLimit(.minutes(1))) struct TurnLineTests {
    private final class Held: Sendable {}

    @Test("is not held any more once it has had its share", arguments: [1, 100])
    func letGo(_ count: Int) async throws {
        let loop = try Loop.running()
        let isGone: Bool = await withCheckedContinuation { continuation in
            loop.post {
                loop.spawn {
                    continuation.resume(returning: await Self.letsGo(of: count, on: loop))
                }
            }
        }
        #expect(isGone)
        loop.end()
    }

    /// Whether nobody of `count` is held, once all had their share, by a line that is still there.
    private static func letsGo(of count: Int, on loop: Loop) async -> Bool {
        let line = TurnLine(on: loop)
        let seen = join(count, line)
        let limit = loop.now.advanced(by: .seconds(10))
        while loop.now < limit {
            await loop.nextTurn()
            if seen.allSatisfy({ $0() == nil }) { break }
        }
        defer { withExtendedLifetime(line) {} }
        return seen.allSatisfy { $0() == nil }
    }

    private static func join(_ count: Int, _ line: TurnLine) -> [() -> Held?] {
        (0..<count).map { _ in
            let held = Held()
            line.join { [held] in _ = held }
            return { [weak held] in held }
        }
    }
}
