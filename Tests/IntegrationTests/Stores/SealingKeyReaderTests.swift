import Domain
import InMemory
import Issuing
import Persistence
import Runtime
import TestSupport
import Testing

/// Sealing keys that are asked for together, and what each asker may rely on.
@Suite("Look-ups of sealing keys", .timeLimit(.minutes(3)), .keepsClusterOnFailure)
struct SealingKeyReaderTests {
    @Test("what one turn asks for goes out in one query, equal ids once, and each hears of its own")
    func together() throws {
        let node = try KeyNode()
        let known = node.insert(30)
        let unknown = node.newIDs(2)
        let asked = known + unknown + known.prefix(8)
        for id in asked { node.find(id) }
        node.step(to: 0)
        #expect(node.server.queries.count == 1)
        #expect(node.server.queries.first?.count == 32)
        #expect(node.server.queries.first.map(Set.init) == Set(asked))
        #expect(node.heard.map(\.id) == asked)
        for heard in node.heard {
            #expect(heard.key == .some(node.server.rows[heard.id]))
        }
    }

    @Test("a key that is destroyed between two turns is so for the second")
    func destroyed() throws {
        let node = try KeyNode()
        let id = try #require(node.insert(1).first)
        node.find(id)
        node.step(to: 0)
        node.server.rows[id]?.wrapped = nil
        node.find(id)
        node.step(to: 1)
        #expect(node.heard.map { $0.key??.wrapped == nil } == [false, true])
    }

    @Test("a look-up does not join a query that is under way") func underWay() throws {
        let node = try KeyNode(answering: .milliseconds(100))
        let id = try #require(node.insert(1).first)
        node.find(id)
        node.step(to: 0)
        node.server.rows[id]?.wrapped = nil
        node.find(id)
        node.step(to: 1)
        for moment in [100, 101, 102] { node.step(to: Int64(moment)) }
        #expect(node.server.queries == [[id], [id]])
        #expect(node.heard.map { $0.key??.wrapped == nil } == [false, true])
    }

    @Test("behind a silent server each hears at its own deadline, and nothing stays behind")
    func silent() throws {
        let node = try KeyNode(answering: .seconds(86_400))
        let ids = node.newIDs(12)
        // One query of two; it has the time of who has more.
        node.find(ids[0], by: 1_000)
        node.find(ids[1], by: 3_000)
        node.step(to: 0)
        #expect(node.server.deadlines == [node.deadline(3_000)])
        for number in 2..<9 {
            node.find(ids[number], by: 3_000)
            node.step(to: Int64(number))
        }
        // These wait for a query to be free.
        node.find(ids[9], by: 500)
        node.find(ids[10], by: 2_000)
        for moment in stride(from: Int64(50), through: 4_000, by: 50) { node.step(to: moment) }
        #expect(node.heard.allSatisfy { $0.key == nil })
        #expect(node.heard.map(\.id) == [ids[9], ids[0], ids[10]] + ids[1..<9])
        let due = [500, 1_000, 2_000] + Array(repeating: 3_000, count: 8)
        for (heard, due) in zip(node.heard, due) { #expect(due...(due + 100) ~= heard.at) }
        #expect(node.server.queries.count == 8)
        #expect(!node.isWaiting)
        weak let left = node.reader
        node.reader = nil
        #expect(left == nil)
    }

    @Test("who has given up is spared the answer; who asked with it has more time, and hears it")
    func late() throws {
        let node = try KeyNode(answering: .milliseconds(1_500))
        let ids = node.insert(2)
        node.find(ids[0], by: 1_000)
        node.find(ids[1], by: 3_000)
        node.find(ids[0], by: 3_000)
        for moment in stride(from: Int64(0), through: 2_000, by: 50) { node.step(to: moment) }
        #expect(node.heard.map(\.id) == [ids[0], ids[1], ids[0]])
        #expect(node.heard.map { $0.key == nil } == [true, false, false])
    }

    @Test("a query that fails is unavailable to all that asked, and to nobody after")
    func failing() throws {
        let node = try KeyNode()
        let id = try #require(node.insert(1).first)
        node.server.error = .unavailable
        for _ in 0..<3 { node.find(id) }
        node.step(to: 0)
        node.server.error = nil
        node.find(id)
        node.step(to: 1)
        #expect(node.heard.map { $0.key == nil } == [true, true, true, false])
    }

    @Test("1,024 may wait for eight queries of 64; one more is refused at once, later ones are not")
    func tooMany() throws {
        let node = try KeyNode(answering: .milliseconds(100))
        let ids = node.insert(1_025)
        for id in ids { node.find(id) }
        node.step(to: 0)
        #expect(node.server.queries.map(\.count) == Array(repeating: 64, count: 8))
        #expect(node.heard.map(\.id) == [ids[1_024]])
        for moment in [100, 101, 200, 201, 202] { node.step(to: Int64(moment)) }
        #expect(node.heard.dropFirst().map(\.id) == Array(ids.prefix(1_024)))
        #expect(node.heard.dropFirst().allSatisfy { $0.key != nil })
        for id in ids.prefix(1_024) { node.find(id) }
        for moment in [203, 303, 304, 404, 405] { node.step(to: Int64(moment)) }
        #expect(node.heard.filter { $0.key == nil }.count == 1)
    }

    @Test("every loop of the database looks up, also what another has just changed; nobody else")
    func loops() async throws {
        try await TestDatabase.with { database in
            let second = try Loop.running()
            defer { second.end() }
            let node = try StoreHarness(database, loops: [database.loop, second])
            defer { node.stop() }
            try await node.untilReady()
            try await second.answer { try await node.untilReady() }
            let store = PostgresSealingKeyStore(node.database)
            let key = WrappedSealingKey.sample(node.newStream(), in: node.project)
            let absent = node.newStream()
            #expect(try await store.insert(key, by: .soon) == key)
            async let one = store.find(key.id, by: .soon)
            async let other = store.find(absent, by: .soon)
            #expect(try await one == key)
            #expect(try await other == nil)
            #expect(try await second.answer { try await store.find(key.id, by: .soon) } == key)
            try await database.destroyKey(key.id)
            let gone = try #require(try await store.find(key.id, by: .soon))
            #expect(gone.wrapped == nil)
            await #expect(throws: StoreError.unavailable) {
                try await Task.detached { try await store.find(key.id, by: .soon) }.value
            }
        }
    }
}

/// A reader on a loop that is stepped by hand.
private final class KeyNode {
    struct Heard: Sendable {
        let id: StreamID
        /// Nil: the look-up was refused.
        let key: WrappedSealingKey??
        /// Milliseconds after the beginning.
        let at: Int
    }

    let server: KeyServer
    var reader: SealingKeyReader?
    private let loop: Loop
    private let entropy = SeededEntropy(seed: 1)
    private let begin = MonotonicInstant.now()
    private let all = Guarded<[Heard]>([])

    /// The server answers with what it has when it is asked.
    init(answering pause: Duration? = nil) throws {
        let loop = try Loop(name: "keys")
        let server = KeyServer(loop: loop, pause: pause)
        reader = SealingKeyReader(on: loop) { ids, deadline async throws(StoreError) in
            try await server.find(ids, deadline)
        }
        self.loop = loop
        self.server = server
    }

    /// In the order of the answers.
    var heard: [Heard] { all.current }

    /// Whether the loop has something left to do.
    var isWaiting: Bool { loop.nextTimer != nil }

    func newIDs(_ count: Int) -> [StreamID] {
        (0..<count).map { _ in StreamID.timeOrdered(at: .sample, from: entropy) }
    }

    func insert(_ count: Int) -> [StreamID] {
        let ids = newIDs(count)
        guard let project = ProjectNumber(1) else { return [] }
        for (number, id) in ids.enumerated() {
            server.rows[id] = WrappedSealingKey(
                id: id,
                project: project,
                kekVersion: Int32(number),
                wrapped: [1],
                commitment: [2]
            )
        }
        return ids
    }

    func deadline(_ milliseconds: Int64) -> Deadline {
        Deadline(nanoseconds: begin.advanced(by: .milliseconds(milliseconds)).nanoseconds)
    }

    func find(_ id: StreamID, by milliseconds: Int64 = 600_000) {
        guard let reader else { return }
        let deadline = deadline(milliseconds)
        loop.post { [loop, all, begin] in
            loop.spawn {
                let key: WrappedSealingKey??
                do { key = .some(try await reader.find(id, by: deadline)) } catch { key = nil }
                let at = loop.now.since(begin) / .milliseconds(1)
                all.withLock { $0.append(Heard(id: id, key: key, at: Int(at))) }
            }
        }
    }

    /// Lets everything happen that is due so many milliseconds after the beginning.
    func step(to milliseconds: Int64) {
        let now = MonotonicInstant(nanoseconds: deadline(milliseconds).nanoseconds)
        while loop.isReady(at: now) { loop.step(at: now) }
    }
}

// @unchecked: touched on one loop, which one thread steps.
/// PostgreSQL that answers after a while, unless the deadline is earlier.
private final class KeyServer: @unchecked Sendable {
    var rows: [StreamID: WrappedSealingKey] = [:]
    var error: StoreError?
    /// The ids of each query, and its deadline.
    private(set) var queries: [[StreamID]] = []
    private(set) var deadlines: [Deadline] = []
    private let loop: Loop
    private let pause: Duration?

    init(loop: Loop, pause: Duration?) {
        self.loop = loop
        self.pause = pause
    }

    func find(_ ids: [StreamID], _ deadline: Deadline)
        async throws(StoreError) -> [WrappedSealingKey]
    {
        queries.append(ids)
        deadlines.append(deadline)
        let found = ids.reversed().compactMap { rows[$0] }
        if let error { throw error }
        guard let pause else { return found }
        let answer = loop.now.advanced(by: pause)
        let limit = MonotonicInstant(nanoseconds: deadline.nanoseconds)
        try? await loop.sleep(until: min(answer, limit))
        if limit < answer { throw .unavailable }
        return found
    }
}
