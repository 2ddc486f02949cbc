import Domain
import InMemory
import Issuing
import Postgres
import Runtime
import TestSupport
import Testing

@testable import Persistence

@Suite("A command on its way when PostgreSQL becomes another server")
struct ServerOfCommandsTests {
    @Test("one that waited for a connection is decided again, and then sent") func waited() throws {
        let lane = try FailingOverLane(at: .waiting)
        lane.submit(expecting: 1)
        lane.step()
        #expect(lane.outcomes == [.conflict])
        #expect(lane.sent == 0)
        lane.submit(expecting: 1, at: 1)
        lane.step()
        #expect(lane.outcomes == [.conflict, nil])
        #expect(lane.sent == 1)
    }

    @Test("one whose answer was lost, and that the new server lacks, is not sent to it")
    func lostAnswer() throws {
        let lane = try FailingOverLane(at: .answering)
        lane.submit(expecting: 1)
        lane.step()
        #expect(lane.outcomes == [.outcomeUnknown])
        #expect(lane.sent == 1)
    }

    @Test("one that was decided before and comes after is decided again at once") func late()
        throws
    {
        let lane = try FailingOverLane(at: .never)
        lane.store.cache.beginServer()
        lane.submit(expecting: 1)
        lane.step()
        #expect(lane.outcomes == [.conflict])
        #expect(lane.sent == 0)
    }
}

/// A store whose server changes while it appends, on a loop that is stepped by hand.
private final class FailingOverLane {
    enum Moment { case waiting, answering, never }

    let store: PostgresEventStore
    private let loop: Loop
    private let entropy = SeededEntropy(seed: 1)
    private let begin = MonotonicInstant.now()
    private let project: ProjectNumber
    private let ends = Guarded<[StoreError?]>([])
    private let calls = Guarded(0)

    init(at moment: Moment) throws {
        loop = try Loop(name: "lane")
        project = try #require(ProjectNumber(1))
        let cache = Guarded<StateCache?>(nil)
        let change: @Sendable () -> Void = {
            cache.current?.beginServer()
            cache.replace(with: nil)
        }
        var connection = ScriptedConnection(loop: loop)
        if moment == .waiting { connection.onWait = change }
        connection.found = []
        connection.onAppend = { [calls] () async throws(PostgresError) in
            let count = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard moment == .answering, count == 1 else { return [] }
            change()
            throw .connectionLost
        }
        store = PostgresEventStore(oneLane: connection, on: loop)
        cache.replace(with: store.cache)
    }

    /// Why each command failed, in the order they were told; nil: it did not.
    var outcomes: [StoreError?] { ends.current }

    /// Calls that went out.
    var sent: Int { calls.current }

    func submit(expecting version: Int32, at server: Int = 0) {
        let commit = Commit(
            command: CommandID(StreamID.timeOrdered(at: .sample, from: entropy)),
            project: project,
            attributes: EventAttributes(actor: .system),
            streams: [
                StreamAppend(
                    stream: StreamID.timeOrdered(at: .sample, from: entropy),
                    kind: .subject,
                    expected: version,
                    server: server,
                    previousHash: version == 0
                        ? nil : EventHash(digest: StandInDigester().sha256([])),
                    occurredAt: .sample,
                    events: [Subject.wrap(.disabled(.operator))],
                    stateAfter: nil
                )
            ],
            guards: []
        )
        loop.post { [loop, store, ends] in
            loop.spawn {
                do throws(StoreError) {
                    try await store.append(commit, by: .after(.seconds(600)))
                    ends.withLock { $0.append(nil) }
                } catch { ends.withLock { $0.append(error) } }
            }
        }
    }

    func step() {
        let now = begin.advanced(by: .milliseconds(500))
        while loop.isReady(at: now) { loop.step(at: now) }
    }
}
