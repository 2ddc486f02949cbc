import Domain
import InMemory
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("A command whose request is over") struct LateCommandTests {
    @Test("is not sent, and has not happened") func late() throws {
        let lane = try TimedLane()
        lane.submit(by: 50)
        lane.step(to: 60)
        #expect(lane.outcomes == [.unavailable])
        #expect(lane.sent == 0)
    }

    @Test("is not sent behind a call that took until then") func behind() throws {
        let lane = try TimedLane(answeringAfter: 60)
        lane.submit(by: 1000)
        lane.step(to: 5)
        lane.submit(by: 50)
        lane.step(to: 10)
        lane.step(to: 70)
        #expect(lane.outcomes == [nil, .unavailable])
        #expect(lane.sent == 1)
    }

    @Test("is not sent again when its answer was lost: it may have happened") func lost() throws {
        let lane = try TimedLane(answeringAfter: 60, loses: true)
        lane.submit(by: 50)
        lane.step(to: 5)
        lane.step(to: 70)
        #expect(lane.outcomes == [.outcomeUnknown])
        #expect(lane.sent == 1)
    }
}

/// A store with one lane, whose calls take their time, on a loop that is stepped by hand.
private final class TimedLane {
    private let loop: Loop
    private let store: PostgresEventStore
    private let entropy = SeededEntropy(seed: 1)
    private let begin = MonotonicInstant.now()
    private let project: ProjectNumber
    private let ends = Guarded<[StoreError?]>([])
    private let calls = Guarded(0)

    /// `loses`: no answer comes back, and nothing of what was sent is found.
    init(answeringAfter milliseconds: Int64 = 0, loses: Bool = false) throws {
        loop = try Loop(name: "lane")
        project = try #require(ProjectNumber(1))
        var connection = ScriptedConnection(loop: loop)
        connection.found = []
        connection.onAppend = { [loop, calls] () async throws(PostgresError) in
            calls.withLock { $0 += 1 }
            try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(milliseconds)))
            if loses { throw .connectionLost }
            return []
        }
        store = PostgresEventStore(oneLane: connection, on: loop)
    }

    /// Why each command failed, in the order they were told; nil: it did not.
    var outcomes: [StoreError?] { ends.current }

    /// Calls that went out.
    var sent: Int { calls.current }

    /// A command of a request that is over so many milliseconds after the beginning.
    func submit(by milliseconds: Int64) {
        let commit = Commit.registration(in: project, from: entropy)
        let deadline = Deadline(
            nanoseconds: begin.advanced(by: .milliseconds(milliseconds)).nanoseconds
        )
        loop.post { [loop, store, ends] in
            loop.spawn {
                do throws(StoreError) {
                    try await store.append(commit, by: deadline)
                    ends.withLock { $0.append(nil) }
                } catch { ends.withLock { $0.append(error) } }
            }
        }
    }

    /// Lets everything happen that is due so many milliseconds after the beginning.
    func step(to milliseconds: Int64) {
        let now = begin.advanced(by: .milliseconds(milliseconds))
        while loop.isReady(at: now) { loop.step(at: now) }
    }
}
