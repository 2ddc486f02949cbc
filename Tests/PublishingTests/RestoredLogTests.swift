import Domain
import InMemory
import Publishing
import TestSupport
import Testing

/// A relay over a log that was dumped and restored into another cluster: nothing is lost there, but
/// transaction numbers begin again.
@Suite("Relay and a restored log") struct RestoredLogTests {
    @Test(
        "publishes and claims nothing while transaction numbers stand before what is published",
        arguments: [true, false]
    )
    func numbersBeganAgain(_ isNewTerm: Bool) async throws {
        let world = RelayWorld()
        for stream in 1...5 as ClosedRange<UInt64> { world.append(stream) }
        var (relay, session) = world.relay()
        try await Self.pass(3, world, &relay)
        #expect(world.indexes == Array(0..<5))
        #expect(relay.status.completeThrough != nil)
        if isNewTerm {
            session.cut()
            (relay, session) = world.relay()
        }
        world.log.restartTransactions()
        world.append(6)
        let claims = world.watermarks.joined().count
        try await Self.pass(30, world, &relay)
        let halt = RelayHalt.numbersBeganAgain(next: 2, published: 5)
        #expect(relay.status.role == .halted(halt))
        #expect(try #require(relay.status.problem).contains("raise the epoch"))
        #expect(world.indexes == Array(0..<5))
        #expect(world.watermarks.joined().count == claims)
        // What was written meanwhile is for an operator to put there, too.
        world.log.beginEpoch()
        world.append(7)
        try await Self.pass(30, world, &relay)
        #expect(relay.status.role == .active)
        #expect(world.streams.last == 7)
        #expect(world.watermarks.joined().count > claims)
    }

    private static func pass(
        _ seconds: Int,
        _ world: RelayWorld,
        _ relay: inout RelayWorld.TestRelay
    ) async throws {
        for _ in 0..<seconds {
            world.clock.advance(.seconds(1))
            try await relay.turns(4)
        }
    }
}
