import Domain
import Issuing
import TestSupport
import Testing

@Suite("How far a process is with ends that come again") struct EndingProgressTests {
    private static func at(_ seconds: UInt64) -> Deadline {
        Deadline(nanoseconds: seconds * 1_000_000_000)
    }

    private static let versions = [Sample.stream(1): Int32(64)]

    private static func progress() -> EndingProgress {
        var progress = EndingProgress()
        progress.keep(versions, since: progress.begin(at: at(1_000)), at: at(1_000))
        return progress
    }

    @Test("the next pass goes on where one ended") func goesOn() {
        #expect(Self.progress().begin(at: Self.at(1_002)).reached == Self.versions)
    }

    @Test("of another server nothing is known") func otherServer() {
        var progress = Self.progress()
        progress.beginServer()
        #expect(progress.begin(at: Self.at(1_002)).reached.isEmpty)
    }

    @Test("a pass that began at the server before leaves nothing behind") func onItsWay() {
        var progress = Self.progress()
        let begin = progress.begin(at: Self.at(1_002))
        #expect(progress.isCurrent(since: begin))
        progress.beginServer()
        #expect(!progress.isCurrent(since: begin))
        progress.keep([Sample.stream(1): 128], since: begin, at: Self.at(1_020))
        #expect(progress.begin(at: Self.at(1_022)).reached.isEmpty)
        let next = progress.begin(at: Self.at(1_022))
        progress.keep(Self.versions, since: next, at: Self.at(1_040))
        #expect(progress.begin(at: Self.at(1_042)).reached == Self.versions)
    }

    @Test("what no pass had a turn with is forgotten after a while") func noTurn() {
        var progress = Self.progress()
        for seconds in stride(from: UInt64(1_002), to: 1_600, by: 2) {
            let begin = progress.begin(at: Self.at(seconds))
            #expect(begin.reached == Self.versions)
            progress.keep(begin.reached, since: begin, at: Self.at(seconds))
        }
        let begin = progress.begin(at: Self.at(1_600))
        #expect(begin.reached.isEmpty)
        progress.keep(begin.reached, since: begin, at: Self.at(1_600))
        #expect(progress.reached.isEmpty)
    }
}
