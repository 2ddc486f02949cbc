import Domain
import InMemory
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// What the event store asks of a connection when much is wanted at once.
@Suite("Reads and snapshots that come together") struct ReadingBurstTests {
    @Test("behind a slow server reads gather in few queries, and nobody is refused")
    func gathering() throws {
        let node = try SlowNode(answering: .milliseconds(100))
        for number in 0..<500 {
            node.load(by: .after(.seconds(600)))
            node.step(to: Int64(number))
        }
        for moment in 500..<1_000 { node.step(to: Int64(moment)) }
        #expect(node.answered.count == 500)
        #expect(node.answered.allSatisfy { $0 })
        #expect(node.calls.mostReads == 8)
        #expect(node.calls.reads < 100)
    }

    @Test("thousands of pages that look at once leave room for who comes for tokens")
    func waitingPages() throws {
        let node = try SlowNode(answering: .milliseconds(100))
        for _ in 0..<4_000 { node.look(by: .after(.seconds(600))) }
        node.step(to: 0)
        node.load(by: .after(.seconds(600)))
        for moment in stride(from: Int64(5), through: 10_000, by: 5) { node.step(to: moment) }
        #expect(node.answered.count == 4_001)
        #expect(node.answered.count { !$0 } == 0)
    }

    @Test("1,024 streams may be waited for on a loop: the next is refused, the others answered")
    func mostWaiting() throws {
        let node = try SlowNode(answering: .milliseconds(100))
        for _ in 0..<1_024 { node.load(by: .after(.seconds(600))) }
        node.step(to: 0)
        #expect(node.answered.isEmpty)
        node.load(by: .after(.seconds(600)))
        node.step(to: 1)
        #expect(node.answered == [false])
        for moment in stride(from: Int64(100), through: 1_000, by: 10) { node.step(to: moment) }
        #expect(node.answered.count == 1_025)
        #expect(node.answered.dropFirst().allSatisfy { $0 })
    }

    @Test("who waits for a query to be free is told at its own deadline") func deadline() throws {
        let node = try SlowNode(answering: nil)
        for number in 0..<8 {
            node.load(by: .after(.seconds(600)))
            node.step(to: Int64(number))
        }
        node.load(by: node.deadline(1_000))
        node.step(to: 900)
        #expect(node.answered.isEmpty)
        for moment in stride(from: Int64(1_000), through: 1_200, by: 50) { node.step(to: moment) }
        #expect(node.answered == [false])
    }

    @Test("who has less time than others of its query is told at its own deadline")
    func ownDeadline() throws {
        let node = try SlowNode(answering: nil)
        node.load(by: .after(.seconds(600)))
        node.load(by: node.deadline(1_000))
        for moment in stride(from: Int64(0), through: 900, by: 50) { node.step(to: moment) }
        #expect(node.answered.isEmpty)
        for moment in stride(from: Int64(950), through: 1_200, by: 50) { node.step(to: moment) }
        #expect(node.answered == [false])
        #expect(node.calls.reads == 1)
    }

    @Test("checks that share a stream look it up once, and each hears of its own")
    func sharedChecks() throws {
        let node = try SlowNode(answering: nil)
        let streams = node.streams(4)
        let heads = streams.map { StreamGuard(stream: $0, version: SlowConnection.head(of: $0)) }
        node.check([heads[0], heads[1]])
        node.check([heads[2], heads[0], heads[2]])
        node.check([heads[0], StreamGuard(stream: streams[3], version: heads[3].version + 1)])
        node.check([heads[3]])
        node.step(to: 0)
        #expect(node.answered == [true, true, false, true])
        #expect(node.calls.heads == [[streams[0], streams[1], streams[2], streams[3]]])
    }

    @Test("a query has 64 streams, however often they are named, for 64 checks at most")
    func manyChecks() throws {
        let node = try SlowNode(answering: nil)
        let shared = node.streams(4).map {
            StreamGuard(stream: $0, version: SlowConnection.head(of: $0))
        }
        for _ in 0..<100 { node.check(shared) }
        node.step(to: 0)
        #expect(node.calls.heads == [shared.map(\.stream), shared.map(\.stream)])
        for stream in node.streams(33) {
            node.check([shared[0], StreamGuard(stream: stream, version: 0)])
            node.check(
                [shared[1], StreamGuard(stream: stream, version: 0)]
                    + node.streams(1).map { StreamGuard(stream: $0, version: 0) }
            )
        }
        node.step(to: 1)
        #expect(node.calls.heads.dropFirst(2).map(\.count) == [64, 6])
        #expect(node.answered.count == 166)
        #expect(node.answered.prefix(100).allSatisfy { $0 })
    }

    @Test("many streams that are due for a snapshot at once leave reads their connection")
    func snapshots() throws {
        let node = try SlowNode(answering: nil)
        for number in 0..<40 {
            try node.append(Commit.eventsMax)
            node.step(to: Int64(number) * 10)
        }
        #expect(node.calls.snapshots == 1)
    }
}
