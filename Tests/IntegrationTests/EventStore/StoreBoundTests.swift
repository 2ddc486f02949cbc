import Domain
import EventFormat
import InMemory
import Issuing
import Persistence
import Postgres
import Runtime
import TestSupport
import Testing

/// What goes into one call, what is remembered, who may wait: all of it has a bound.
@Suite("The bounds of the event store") struct StoreBoundTests {
    private static let megabyte = 1024 * 1024

    @Test("a call has 256 commands, and the next has the rest") func commands() throws {
        let store = try SteppedStore()
        for _ in 0..<300 { store.append() }
        store.step()
        #expect(store.calls.map(\.count) == [256, 44])
    }

    @Test("a call has 512 rows") func rows() throws {
        let store = try SteppedStore()
        for _ in 0..<8 { store.append(events: 64) }
        store.append()
        store.step()
        #expect(store.calls.map(\.rowCount) == [512, 1])
    }

    @Test("a call has 1 MiB") func bytes() throws {
        let store = try SteppedStore()
        for _ in 0..<160 { store.append(bytes: 12_000) }
        store.step()
        let sizes = store.calls.map(\.byteCount)
        let each = try #require(store.calls.last?.first).byteCount
        #expect(sizes.count == 3 && sizes.allSatisfy { $0 <= Self.megabyte }, "\(sizes)")
        // One more would be too much.
        #expect(sizes.dropLast().allSatisfy { $0 + each > Self.megabyte }, "\(sizes)")
    }

    @Test("a command that is too much for any call goes alone") func alone() throws {
        for bigAt in 0..<3 {
            let store = try SteppedStore()
            for place in 0..<3 {
                let isBig = place == bigAt
                store.append(events: isBig ? 64 : 1, bytes: isBig ? 12_200 : 40)
            }
            store.step()
            #expect(store.calls.contains { $0.count == 1 && $0.byteCount > Self.megabyte })
            #expect(store.calls.map(\.rowCount).sorted() == [2, 64])
            #expect(store.outcomes == [true, true, true])
        }
    }

    @Test("what is remembered keeps to its bytes, and what gave way is read again")
    func cache() throws {
        let bytesMax = 256 * 1024
        let store = try SteppedStore(cacheBytesMax: bytesMax)
        var streams: [StreamID] = []
        for count in 1...2000 {
            streams.append(store.append())
            if count.isMultiple(of: 200) { store.step() }
        }
        #expect(store.outcomes.count == 2000)
        let bytes = try store.number("chancery_cache_bytes")
        #expect(bytes <= bytesMax && bytes > bytesMax / 2, "\(bytes)")
        let kept = streams.filter { store.store.remembered($0) != nil }
        let gone = Set(streams).subtracting(kept)
        #expect(kept.count > 100 && gone.count > 1000)
        // Each with its own state, wherever what gave way has left it.
        for stream in kept {
            let state = store.store.remembered(stream)?.state as? Subject.State
            #expect(state == SteppedStore.state(of: stream))
        }
        store.load(try #require(kept.first))
        store.step()
        #expect(try store.number("chancery_cache_misses_total") == 0)
        store.load(try #require(gone.first))
        store.step()
        #expect(try store.number("chancery_cache_misses_total") == 1)
    }

    @Test("256 commands wait for one stream; the next is refused, and all others have their turn")
    func turnstile() throws {
        let store = try SteppedStore()
        let stream = store.newStream()
        for _ in 0...256 { store.enter(stream) }
        store.step()
        #expect(store.outcomes == [true])
        store.enter(stream)
        store.step()
        #expect(store.outcomes == [true, false])
        for _ in 0...256 {
            store.store.leave(stream)
            store.step()
        }
        #expect(store.outcomes.count == 258)
        #expect(store.outcomes.count { $0 } == 257)
    }
}

/// A store whose log takes all it is given, on a loop that is stepped by hand.
private final class SteppedStore {
    let store: PostgresEventStore
    private let metrics = Metrics()
    private let loop: Loop
    private let entropy = SeededEntropy(seed: 1)
    private let begin = MonotonicInstant.now()
    private var milliseconds: Int64 = 0
    private let project: ProjectNumber
    private let batches = Guarded<[[EncodedCommand]]>([])
    private let ends = Guarded<[Bool]>([])

    init(cacheBytesMax: Int = 1024 * 1024) throws {
        loop = try Loop(name: "bounds")
        project = try #require(ProjectNumber(1))
        var taking = ScriptedConnection(loop: loop, refusals: [])
        taking.onBatch = { [batches] batch in batches.withLock { $0.append(batch.commands) } }
        store = PostgresEventStore(
            EventStoreSettings(node: "test", lanes: 1, cacheBytesMax: cacheBytesMax),
            readers: [(loop, taking)],
            lanes: [(loop, taking)],
            names: StreamNames(StandInDigester()),
            metrics: PersistenceMetrics(metrics),
            log: .discarding
        ) { _ in }
        store.publish(to: metrics)
    }

    /// The commands of each call.
    var calls: [[EncodedCommand]] { batches.current }
    /// How each command ended, in the order of the ends.
    var outcomes: [Bool] { ends.current }

    func newStream() -> StreamID { .timeOrdered(at: .sample, from: entropy) }

    /// Appends to a new stream: so many events, each with so many bytes sealed.
    @discardableResult func append(events: Int = 1, bytes: Int = 40) -> StreamID {
        let stream = newStream()
        let event = Subject.wrap(.sealing(bytes))
        let commit = Commit(
            command: CommandID(newStream()),
            project: project,
            attributes: EventAttributes(actor: .system),
            streams: [
                StreamAppend(
                    stream: stream,
                    kind: .subject,
                    expected: 0,
                    previousHash: nil,
                    occurredAt: .sample,
                    events: Array(repeating: event, count: events),
                    stateAfter: Self.state(of: stream)
                )
            ],
            guards: []
        )
        run { [store] in try await store.append(commit, by: .after(.seconds(600))) }
        return stream
    }

    /// Another for each stream.
    static func state(of stream: StreamID) -> Subject.State {
        let event = Subject.Event.registered(
            source: .loginLink,
            email: Sealed(bytes: stream.bytes),
            emailVerified: true,
            at: .sample
        )
        return Subject.evolve(.absent, by: event) ?? .absent
    }

    func load(_ stream: StreamID) {
        run { [store] in
            _ = try await store.load(Subject.self, stream, by: .after(.seconds(600)))
        }
    }

    func enter(_ stream: StreamID) {
        run { [store] in try await store.enter(stream, by: .after(.seconds(600))) }
    }

    /// Lets everything happen that is due within the next 20 ms.
    func step() {
        for _ in 0..<20 {
            milliseconds += 1
            let now = begin.advanced(by: .milliseconds(milliseconds))
            while loop.isReady(at: now) { loop.step(at: now) }
        }
    }

    /// The value of a series.
    func number(_ series: String) throws -> Int {
        let text = String(decoding: metrics.render(), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }
        let value = try #require(line?.split(separator: " ").last)
        return Int(try #require(Double(value)))
    }

    private func run(_ body: @escaping @Sendable () async throws -> Void) {
        loop.post { [loop, ends] in
            loop.spawn {
                let isDone = (try? await body()) != nil
                ends.withLock { $0.append(isDone) }
            }
        }
    }
}

extension EncodedCommand {
    /// As Events 1 counts it: payload, metadata and what a row has beside them.
    fileprivate var byteCount: Int {
        rows.reduce(0) { $0 + $1.event.payload.count + $1.event.metadata.count + 160 }
    }
}

extension [EncodedCommand] {
    fileprivate var rowCount: Int { reduce(0) { $0 + $1.rows.count } }
    fileprivate var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}
