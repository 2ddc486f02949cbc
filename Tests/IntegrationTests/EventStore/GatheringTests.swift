import Persistence
import Runtime
import Testing

@Suite("A lane's calls gather commands") struct GatheringTests {
    /// Milliseconds after the first call at which the second may begin.
    private func secondCall(
        of first: Int = 2,
        after rest: Int,
        waiting: Int,
        joined: [(at: Int, count: Int)] = []
    ) throws -> Int {
        let loop = try Loop(name: "gathering")
        let begin = MonotonicInstant.now()
        func instant(_ milliseconds: Int) -> MonotonicInstant {
            begin.advanced(by: .milliseconds(milliseconds))
        }
        let gathering = Gathering(on: loop)
        loop.post { gathering.begins(with: first) }
        loop.step(at: begin)
        let goes = Guarded(false)
        loop.post {
            loop.spawn {
                await gathering.wait(with: waiting)
                goes.replace(with: true)
            }
        }
        for millisecond in rest...100 {
            for step in joined where step.at == millisecond {
                loop.post { gathering.grew(to: step.count) }
            }
            while loop.isReady(at: instant(millisecond)) { loop.step(at: instant(millisecond)) }
            if goes.current { return millisecond }
        }
        return .max
    }

    @Test("a lane that has rested calls at once") func rested() throws {
        #expect(try secondCall(after: 4, waiting: 1) == 4)
        #expect(try secondCall(after: 50, waiting: 1) == 50)
    }

    @Test("a busy one keeps its pace, so that commands travel together") func paced() throws {
        #expect(try secondCall(after: 1, waiting: 1) == 4)
        #expect(try secondCall(after: 3, waiting: 15) == 4)
        #expect(try secondCall(after: 1, waiting: 1, joined: [(2, 2), (3, 15)]) == 4)
    }

    @Test("commands that come one after the other are not held back") func chain() throws {
        #expect(try secondCall(of: 1, after: 1, waiting: 1) == 1)
        #expect(try secondCall(of: 1, after: 1, waiting: 2) == 4)
        #expect(try secondCall(of: 8, after: 1, waiting: 1) == 4)
    }

    @Test("enough commands wait for nothing") func enough() throws {
        #expect(try secondCall(after: 1, waiting: 16) == 1)
        #expect(try secondCall(after: 1, waiting: 1, joined: [(2, 16)]) == 2)
    }
}
