import Domain
import InMemory
import Issuing
import Messaging
import Runtime
import TestSupport
import Testing

@Suite("The waiting room") struct WaitingRoomTests {
    @Test("its bound counts those who wait, however few streams they wait for")
    func bound() throws {
        let loop = try Loop(name: "room")
        let stream = StreamID.timeOrdered(at: .sample, from: SeededEntropy(seed: 1))
        let other = StreamID.timeOrdered(at: .sample, from: SeededEntropy(seed: 2))
        let admitted = Guarded<[Bool]>([])
        loop.post {
            let room = WaitingRoom()
            let listeners = (0..<WaitingRoom.waitersMax).map { _ in
                room.listen(to: [stream, other])
            }
            let one = room.listen(to: [stream])
            listeners[0]?.cancel()
            let next = room.listen(to: [other])
            admitted.replace(
                with: [listeners.allSatisfy { $0 != nil }, one != nil, next != nil]
            )
        }
        while loop.isReady(at: .now()) { loop.step(at: .now()) }
        #expect(admitted.current == [true, false, true])
    }
}
