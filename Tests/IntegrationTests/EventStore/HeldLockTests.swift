import Domain
import InMemory
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

@Suite("A stream whose lock somebody holds") struct HeldLockTests {
    @Test("keeps up the one command that needs it, and none of the 63 in the same call")
    func many() throws {
        let lane = try LockedLane()
        for number in 0..<64 { lane.submit(number, needsLock: number == 20) }
        lane.step(to: 900)
        #expect(lane.outcomes.keys.sorted() == (0..<64).filter { $0 != 20 })
        #expect(lane.outcomes.values.allSatisfy { $0 == "done" })
        lane.step(to: 1300)
        #expect(lane.outcomes[20] == "unavailable")
        // It was said to be out: it is sent no more.
        lane.release()
        let calls = lane.calls
        lane.step(to: 2000)
        #expect(lane.calls == calls)
    }

    @Test("keeps nobody who comes meanwhile for longer than two calls") func meanwhile() throws {
        let lane = try LockedLane()
        for number in 0..<64 { lane.submit(number, needsLock: number == 20) }
        for number in 64..<109 {
            lane.step(to: Int64(number - 63) * 20)
            lane.submit(number)
        }
        lane.step(to: 1300)
        #expect(lane.outcomes.count == 109)
        let refused = lane.outcomes.filter { $0.value != "done" }
        #expect(refused == [20: "unavailable"])
        let late = lane.waits.filter { $0.key >= 64 && $0.value > .milliseconds(200) }
        #expect(late.isEmpty)
    }

    @Test("has no other call refused when somebody needs it again") func again() throws {
        let lane = try LockedLane()
        lane.submit(0, needsLock: true)
        lane.step(to: 150)
        for number in 1..<64 { lane.submit(number, needsLock: number == 20) }
        lane.step(to: 250)
        #expect(lane.outcomes.keys.sorted() == (1..<64).filter { $0 != 20 })
        lane.release()
        lane.step(to: 600)
        #expect(lane.outcomes.count == 64)
        #expect(lane.outcomes.values.allSatisfy { $0 == "done" })
    }

    @Test("is tried for again in turns with what comes meanwhile, until it is let go")
    func turns() throws {
        let lane = try LockedLane()
        lane.submit(0, needsLock: true)
        lane.step(to: 50)
        lane.submit(1)
        lane.step(to: 260)
        #expect(lane.outcomes == [1: "done"])
        lane.submit(2)
        lane.release()
        lane.step(to: 600)
        #expect(lane.outcomes == [0: "done", 1: "done", 2: "done"])
    }
}

/// A store with one lane, whose server waits 100 ms for one lock, on a loop that is stepped by
/// hand.
private final class LockedLane {
    private let loop: Loop
    private let store: PostgresEventStore
    private let entropy = SeededEntropy(seed: 1)
    private let begin = MonotonicInstant.now()
    private let project: ProjectNumber
    private let locked: StreamID
    private let isHeld = Guarded(true)
    private let ends = Guarded<[Int: String]>([:])
    private let took = Guarded<[Int: Duration]>([:])
    private let sent = Guarded<[Set<StreamID>]>([])
    private var passed: Int64 = 0

    init() throws {
        loop = try Loop(name: "lane")
        project = try #require(ProjectNumber(1))
        locked = StreamID.timeOrdered(at: .sample, from: entropy)
        var connection = ScriptedConnection(loop: loop)
        connection.onBatch = { [sent] batch in sent.withLock { $0.append(batch.streams) } }
        connection.onAppend = { [loop, locked, isHeld, sent] () async throws(PostgresError) in
            let needsLock = sent.current.last?.contains(locked) ?? false
            guard needsLock, isHeld.current else { return [] }
            try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(100)))
            guard isHeld.current else { return [] }
            throw .server(ServerError(state: .lockNotAvailable, message: "lock timeout"))
        }
        store = PostgresEventStore(oneLane: connection, on: loop)
    }

    /// What became of each command that was answered, by its number.
    var outcomes: [Int: String] { ends.current }

    /// How long each of them waited for that.
    var waits: [Int: Duration] { took.current }

    var calls: Int { sent.current.count }

    func release() { isHeld.replace(with: false) }

    func submit(_ number: Int, needsLock: Bool = false) {
        let commit = Commit.registration(
            of: needsLock ? locked : nil,
            in: project,
            from: entropy
        )
        loop.post { [loop, store, ends, took] in
            loop.spawn {
                let came = loop.now
                do throws(StoreError) {
                    try await store.append(commit, by: .after(.seconds(600)))
                    ends.withLock { $0[number] = "done" }
                } catch { ends.withLock { $0[number] = "\(error)" } }
                let passed = loop.now.since(came)
                took.withLock { $0[number] = passed }
            }
        }
    }

    /// Lets the time pass, a few milliseconds at once.
    func step(to milliseconds: Int64) {
        while passed < milliseconds {
            passed += 5
            let now = begin.advanced(by: .milliseconds(passed))
            while loop.isReady(at: now) { loop.step(at: now) }
        }
    }
}
