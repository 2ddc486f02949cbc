import Domain
import InMemory
import Publishing
import Runtime
import TestSupport
import Testing

/// Keys that are stopped by the hundred, as when a newer issuer writes beside an older projector.
@Suite("Many stopped keys") struct ProjectorRetryTests {
    static let keyCount = 300

    /// Which streams PostgreSQL was asked for.
    private final class Asked: Sendable {
        private let streams = Guarded<Set<StreamID>>([])

        func note(_ event: RecordedEvent) { streams.withLock { _ = $0.insert(event.stream) } }

        func take() -> Set<StreamID> { streams.replace(with: []) }
    }

    @Test("are tried again a few at a time, keep nobody waiting, and all go on in the end")
    func few() async throws {
        let world = ProjectorWorld()
        for stream in 1...UInt64(Self.keyCount) {
            world.commit([ProjectorWorld.opened, .ended(.logout)], to: stream)
        }
        try await world.publish()
        let asked = Asked()
        world.model.setReadable { event in
            asked.note(event)
            return false
        }
        var (older, _) = world.projector()
        while older.status.blocked.count < Self.keyCount { await older.turn() }
        await older.turns()
        _ = asked.take()

        // None can be read: each is tried, for none is a turn long.
        var tried: Set<StreamID> = []
        for _ in 0..<20 {
            world.relays.clock.advance(.seconds(1))
            await older.turn()
            let now = asked.take()
            #expect(now.count <= 50)
            tried.formUnion(now)
        }
        #expect(tried.count == Self.keyCount)
        await older.end()

        // The newer program reads them all.
        world.model.setReadable { event in
            asked.note(event)
            return true
        }
        var (newer, _) = world.projector()
        let key = ProjectorWorld.key(UInt64(Self.keyCount) + 1)
        try await world.happens(
            [ProjectorWorld.opened, .ended(.logout)],
            to: UInt64(Self.keyCount) + 1
        )
        var stoppedBeside: Int?
        for _ in 0..<40 {
            let before = newer.status.blocked.count
            await newer.turn()
            #expect(asked.take().count <= 50)
            if before > 0 { #expect(before - newer.status.blocked.count <= 50) }
            if stoppedBeside == nil, world.model.revocations[key] != nil {
                stoppedBeside = newer.status.blocked.count
            }
        }
        #expect(try #require(stoppedBeside) > 0)
        #expect(newer.status.blocked.isEmpty)
        #expect(try await world.isWhole())
    }
}
